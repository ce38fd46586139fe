import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readContent } from '#db/content-files.ts'
import { root } from '#local/root.ts'
import { FlowEnvelope, rfflowVersion } from '#rules/flows/rfflow.ts'
import packageJson from '../../package.json' with { type: 'json' }

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

/** Return a function that says whether a validator other than ours takes a value. */
function openSchema(file: string) {
  const validate = new AjvJsonSchemaValidator().getValidator(readJson(file))
  return (value: unknown) => validate(value).valid
}
const isFlow = openSchema('lib/rules/flows/rfflow.schema.json')
const isFrontMatter = openSchema('lib/rules/flows/markdown/front-matter.schema.json')

const { flows } = await readContent(join(root, 'migrations'))
const contents = flows.map(({ id: _, categoryId: __, file: ___, ...content }) => content)
const envelopes = contents.map((content) => ({ rfflow_version: rfflowVersion, flow: content }))
const [example] = envelopes

it('INS-20 the schema of flow files takes each flow that ships, and the example of the documentation', () => {
  const examples = (FlowEnvelope.meta()?.examples ?? []) as unknown[]
  expect(envelopes.length + examples.length).toBeGreaterThan(9)
  for (const envelope of [...envelopes, ...examples]) expect(isFlow(envelope)).toBe(true)
})

it.each([
  ['no version', { flow: example?.flow }],
  ['an unknown key', { ...example, author: 'me' }],
  ['an unknown type', { ...example, flow: { ...example?.flow, tree_type: 'wizard' } }],
  ['no name', { ...example, flow: { ...example?.flow, name: undefined } }],
  [
    'a node of no type',
    { ...example, flow: { ...example?.flow, tree_structure: { id: 'a', type: 'jump', title: 'A' } } },
  ],
  ['a tag that is a number', { ...example, flow: { ...example?.flow, tags: [1] } }],
])('INS-20 the schema of flow files refuses %s, as the service does', (_, envelope) => {
  const value = JSON.parse(JSON.stringify(envelope))
  expect([isFlow(value), FlowEnvelope.safeParse(value).success]).toEqual([false, false])
})

it('INS-20 the schema of the front matter takes that of each flow that ships', () => {
  const frontMatters = flows.map(({ file }) => {
    const text = readFileSync(join(root, 'migrations', file), 'utf8')
    return parse(text.split(/^---$/m)[1] ?? '') as object
  })
  for (const frontMatter of frontMatters) {
    expect(isFrontMatter(frontMatter)).toBe(true)
    for (const wrong of [{ type: 'wizard' }, { name: '' }, { author: 'me' }, { tags: [1] }, { id: 'x' }])
      expect([wrong, isFrontMatter({ ...frontMatter, ...wrong })]).toEqual([wrong, false])
    expect(isFrontMatter({ ...frontMatter, tags: 'a, b' })).toBe(true)
  }
})

it('INS-21 the settings of editors name files, scripts and tasks that exist', () => {
  const settings = readJson('.vscode/settings.json')
  const { configurations } = readJson('.vscode/launch.json')
  const { tasks } = readJson('.vscode/tasks.json')
  const paths: string[] = [
    ...settings['json.schemas'].map(({ url }: { url: string }) => url),
    ...Object.keys(settings['files.readonlyInclude']).filter((path) => !path.includes('*')),
    settings['vitest.configSearchPatternInclude'],
    ...configurations.flatMap(({ program = '', runtimeExecutable = '' }) => [program, runtimeExecutable]),
  ]
    .filter(Boolean)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it.
    .map((path) => path.replace('${workspaceFolder}', '.'))
  expect(paths.length).toBeGreaterThan(6)
  expect(paths.filter((path) => !existsSync(resolve(root, path)))).toEqual([])
  const labels = tasks.map(({ label }: { label: string }) => label)
  for (const { preLaunchTask = labels[0] } of configurations) expect(labels).toContain(preLaunchTask)
  const scripts = tasks.flatMap(({ script = '', command = '' }) => script || /^npm (\w+)/.exec(command)?.[1])
  for (const script of scripts) expect(packageJson.scripts).toHaveProperty(script)
  const { image, postCreateCommand, customizations } = readJson('.devcontainer/devcontainer.json')
  const [major] = readFileSync(join(root, '.nvmrc'), 'utf8').trim().split('.')
  expect([image.includes(`:${major}-`), postCreateCommand]).toEqual([true, 'npm ci'])
  expect(customizations.vscode.extensions).toEqual(readJson('.vscode/extensions.json').recommendations)
})
