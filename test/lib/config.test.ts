import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseConfig, settings } from '../../lib/config.ts'

const readme = join(import.meta.dirname, '../../functions/README.md')

/** Return the settings table of functions/README.md. Run with UPDATE=1 to write it. */
function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined)
    const hasNoDefault = fallback.data === undefined || JSON.stringify(fallback.data) === '[]'
    const defaultValue = hasNoDefault ? 'none' : `\`${fallback.data}\``
    return `| \`${name}\` | ${schema.description ?? ''} | ${fallback.success ? defaultValue : '**required**'} |`
  })
  return ['<!-- settings -->', '| setting | what it is | default |', '|---|---|---|', ...rows, '<!-- /settings -->'].join('\n')
}

it('describes every setting in functions/README.md', async () => {
  const text = await readFile(readme, 'utf8')
  if (process.env.UPDATE)
    await writeFile(
      readme,
      text.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => settingsTable()),
    )
  expect(await readFile(readme, 'utf8')).toContain(settingsTable())
  for (const schema of Object.values(settings)) expect(schema.description).toBeTruthy()
})

it('reports every missing or invalid setting, but not its value', () => {
  const parse = () => parseConfig({ JWT_KEYS: 'secret-value', PUBLIC_BASE_URL: 'secret-value' })
  const required = Object.entries(settings).filter(([, schema]) => !schema.safeParse(undefined).success)
  expect(required.length).toBeGreaterThan(10)
  for (const [name] of required) expect(parse).toThrow(new RegExp(`\\b${name}: `))
  expect(parse).not.toThrow(/secret-value/)
})
