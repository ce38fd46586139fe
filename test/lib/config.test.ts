import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { settings } from '../../lib/config.ts'
import { cloudflareSettings, parseCloudflareConfig } from '../../lib/platform/cloudflare/settings.ts'
import { nodeSettings, parseNodeConfig } from '../../lib/platform/node/settings.ts'
import { sampleSettings } from '../support/settings.ts'

const readme = join(import.meta.dirname, '../../functions/README.md')

const groups: Record<string, Record<string, z.ZodType>> = {
  settings,
  'settings-cloudflare': cloudflareSettings,
  'settings-node': nodeSettings,
}

/** Return a settings table of functions/README.md. Run with UPDATE=1 to write them. */
function settingsTable(name: string, shape: Record<string, z.ZodType>): string {
  const rows = Object.entries(shape).map(([setting, schema]) => {
    const fallback = schema.safeParse(undefined)
    const hasNoDefault = fallback.data === undefined || JSON.stringify(fallback.data) === '[]'
    const isObject = typeof fallback.data === 'object' && !Array.isArray(fallback.data)
    const defaultValue = hasNoDefault ? 'none' : `\`${isObject ? JSON.stringify(fallback.data) : fallback.data}\``
    return `| \`${setting}\` | ${schema.description ?? ''} | ${fallback.success ? defaultValue : '**required**'} |`
  })
  return [`<!-- ${name} -->`, '| setting | what it is | default |', '|---|---|---|', ...rows, `<!-- /${name} -->`].join('\n')
}

it.each(Object.entries(groups))('describes every setting of the group %s in functions/README.md', async (name, shape) => {
  const text = await readFile(readme, 'utf8')
  if (process.env.UPDATE)
    await writeFile(
      readme,
      text.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`), () => settingsTable(name, shape)),
    )
  expect(await readFile(readme, 'utf8')).toContain(settingsTable(name, shape))
  for (const schema of Object.values(shape)) expect(schema.description).toBeTruthy()
})

it.each([
  ['Cloudflare', parseCloudflareConfig, { ...settings, ...cloudflareSettings }],
  ['Node', parseNodeConfig, { ...settings, ...nodeSettings }],
] as const)('on %s, reports every missing or invalid setting, but not its value', (_platform, parseConfig, shape) => {
  const parse = () => parseConfig({ JWT_KEYS: 'secret-value', PUBLIC_BASE_URL: 'secret-value' })
  const required = Object.entries(shape).filter(([, schema]) => !schema.safeParse(undefined).success)
  expect(required.length).toBeGreaterThan(8)
  for (const [name] of required) expect(parse).toThrow(new RegExp(`\\b${name}: `))
  expect(parse).not.toThrow(/secret-value/)
})

it.each([
  ['authorization=Bearer%20a%3Db, x-team = ops', { authorization: 'Bearer a=b', 'x-team': 'ops' }],
  ['', {}],
])('OBS-08 reads the headers of the receiver of spans from %j', (text, headers) => {
  expect(parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', OTLP_HEADERS: text }).OTLP_HEADERS).toEqual(headers)
})

it.each(['secret-value', '=secret-value', 'name=%E0%A4%A', 'na me=secret-value'])(
  'OBS-09 refuses headers of the receiver of spans that are not valid, without their value: %s',
  (text) => {
    const parse = () => parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', OTLP_HEADERS: text })
    expect(parse).toThrow('OTLP_HEADERS: must be name=value pairs')
    expect(parse).not.toThrow('secret-value')
  },
)
