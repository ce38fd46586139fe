import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'

const config: { forbidden: IForbiddenRuleType[]; options: ICruiseOptions } = createRequire(import.meta.url)(
  '../../.dependency-cruiser.cjs',
)

/** Files that break the rules, as `importing file: what it imports`. */
const violations: Record<string, [file: string, imported: string]> = {
  'no-circular-files': ['lib/http/circle.ts', './circle.ts'],
  'platform-imports-lower-floors': ['lib/platform/node/a.ts', '#functions/app.ts'],
  'http-imports-lower-floors': ['lib/http/a.ts', '#platform/node/target.ts'],
  'work-imports-lower-floors': ['lib/work/a.ts', '#http/target.ts'],
  'vendors-imports-lower-floors': ['lib/vendors/mail/a.ts', '#work/target.ts'],
  'db-imports-lower-floors': ['lib/db/a.ts', '#vendors/mail/target.ts'],
  'rules-imports-lower-floors': ['lib/rules/flows/a.ts', '#db/target.ts'],
  'only-the-gate-masks': ['functions/masks/service.ts', '#rules/masking/mask.ts'],
  'ground-imports-no-floor': ['lib/config.ts', '#rules/flows/target.ts'],
  'rules-import-rules': ['lib/rules/flows/b.ts', '#config.ts'],
  'rules-do-no-io': ['lib/rules/flows/c.ts', 'node:fs'],
  'files-are-read-in-their-place': ['functions/diagrams/service.ts', '#rules/knowledge/article.ts'],
  'operations-call-services': ['functions/teams/operations.ts', './queries.ts'],
  'services-own-their-queries': ['functions/users/service.ts', '#functions/teams/queries.ts'],
  'queries-of-a-group-stay-in-it': ['functions/roles/queries.ts', '#functions/teams/queries.ts'],
  'services-do-not-import-operations': ['functions/plans/service.ts', '#functions/teams/operations.ts'],
  'services-hold-no-sql': ['functions/prices/service.ts', 'kysely'],
  'queries-import-no-rules-of-groups': ['functions/users/queries.ts', './service.ts'],
  'schemas-import-schemas': ['functions/users/schemas.ts', './service.ts'],
  'platforms-do-not-mix': ['lib/platform/cloudflare/a.ts', '#platform/node/target.ts'],
  'only-entries-know-platforms': ['functions/app.ts', '#platform/node/target.ts'],
  'local-is-never-shipped': ['lib/vendors/mail/b.ts', '#local/target.ts'],
  'client-stands-alone': ['lib/client/a.ts', '#problem.ts'],
  'no-development-packages': ['lib/http/b.ts', 'vitest'],
  ...Object.fromEntries(
    config.forbidden
      .map(({ name = '' }) => name)
      .filter((name) => name.startsWith('only-one-file-imports-'))
      .map((name) => [
        name,
        [`lib/http/${name.replace(/\W/g, '-')}.ts`, name.slice('only-one-file-imports-'.length)],
      ]),
  ),
  // This package has no main file.
  'only-one-file-imports-@phi-ag/argon2': ['lib/http/argon2.ts', '@phi-ag/argon2/fetch'],
}

/**
 * Write a checkout in which each file imports one other, and return the names of the rules that it breaks.
 */
async function listBrokenRules(): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'imports-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['package.json', 'tsconfig.json']) await symlink(join(root, name), join(folder, name))
  const targets = Object.values(violations).flatMap(([file, imported]) => {
    if (imported.startsWith('./')) return [join(dirname(file), imported)]
    if (!imported.startsWith('#')) return []
    return [imported.startsWith('#functions/') ? imported.slice(1) : `lib/${imported.slice(1)}`]
  })
  const contents = new Map<string, string>(targets.map((file) => [file, '']))
  for (const [file, imported] of Object.values(violations)) contents.set(file, `import '${imported}'\n`)
  for (const [file, text] of contents) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  const result = await cruiseFiles(folder)
  return new Set(result.summary.violations.map(({ rule }) => rule.name))
}

async function cruiseFiles(baseDir: string): Promise<ICruiseResult> {
  const { output } = await cruise(['functions', 'lib'], {
    ...config.options,
    baseDir,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
  })
  return output as ICruiseResult
}

it('each import rule fails where it is broken', async () => {
  const names = config.forbidden.map(({ name = '' }) => name)
  expect(Object.keys(violations).toSorted()).toEqual(names.toSorted())
  const broken = await listBrokenRules()
  expect(names.filter((name) => !broken.has(name))).toEqual([])
})

it('subjects, vendors and rules import each other in one direction only', async () => {
  const { modules } = await cruiseFiles(root)
  const toFolder = (path: string) => /^(?:functions|lib\/(?:rules|vendors))\/[^/]+(?=\/)/.exec(path)?.[0]
  const imports = new Map<string, Set<string>>()
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      const [from, to] = [toFolder(source), toFolder(resolved)]
      if (from && to && from !== to) imports.set(from, (imports.get(from) ?? new Set()).add(to))
    }
  const reach = (folder: string, seen = new Set<string>()): Set<string> => {
    for (const next of imports.get(folder) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  expect([...imports.keys()].filter((folder) => reach(folder).has(folder))).toEqual([])
})

it('OBS-16 no service and no query reads the clock of the process', async () => {
  const files = (await readdir(join(root, 'functions'), { recursive: true })).filter((file) =>
    /(?:queries|service)\.ts$/.test(file),
  )
  const found = await Promise.all(
    files.map(
      async (file) =>
        [
          file,
          (await readFile(join(root, 'functions', file), 'utf8')).match(/new Date\(\)|Date\.now\(\)/g),
        ] as const,
    ),
  )
  expect(found.filter(([, uses]) => uses)).toEqual([])
})
