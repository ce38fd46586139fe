import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findPlacementProblems, renderScript, validateTemplate } from '#rules/scripts/render.ts'
import type { Language, ScriptParameter } from '#rules/scripts/schema.ts'
import { someByDay } from '#test/support/night.ts'
import { hostileBash, hostilePowershell, hostilePython } from './hostile-scripts.ts'
import { ordinaryBash, ordinaryPowershell, ordinaryPython } from './ordinary-scripts.ts'

const types = {
  p: 'string',
  q: 'string',
  s: 'string',
  t: 'string',
  h: 'hostname',
  n: 'int',
  b: 'bool',
} as const
const parameters_schema: ScriptParameter[] = Object.entries(types).map(([name, type]) => ({
  name,
  label: name,
  type,
  required: false,
}))
const findMessages = (language: Language, script_body: string) =>
  validateTemplate({ language, script_body, parameters_schema }).map(({ message }) => message)

const hostileValues = [
  'a[$(touch PWN)]',
  '$(touch PWN)',
  '`touch PWN`',
  ';touch PWN',
  "';touch PWN;'",
  '";touch PWN;"',
  '\ntouch PWN\n',
  'touch PWN',
  '-otouch PWN',
  '--use-compress-program=touch PWN',
  'x\'; import os; os.system("touch PWN") #',
  '__import__("os").system("touch PWN")',
  '-v',
  '1e touch PWN',
  'BEGIN{system("touch PWN")}',
]

/**
 * Fill the accepted templates with hostile values, execute them, and return those that created the file PWN.
 */
function executeTemplates(language: Language, templates: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'scripts-'))
  const bodies: string[] = []
  for (const script_body of templates)
    for (const p of hostileValues) {
      const template = { language, script_body, parameters_schema }
      const values = { p, q: p === '-v' ? 'a[$(touch PWN)]' : p, n: -5 }
      if (findPlacementProblems(template, values).size > 0) continue
      mkdirSync(join(folder, String(bodies.length)))
      writeFileSync(join(folder, String(bodies.length), 'script'), renderScript(template, values).script)
      bodies.push(script_body)
    }
  const interpreter = { bash: 'bash --norc', python: 'python3 -S', powershell: 'pwsh -NoProfile -File' }[
    language
  ]
  // Four at a time.
  spawnSync(
    'sh',
    [
      '-c',
      `ls | xargs -P 4 -I{} sh -c 'cd {} && exec timeout 5 ${interpreter} script </dev/null >/dev/null 2>&1'`,
    ],
    {
      cwd: folder,
      env: { PATH: process.env.PATH },
    },
  )
  const executed = bodies.filter((_, index) => readdirSync(join(folder, String(index))).includes('PWN'))
  rmSync(folder, { recursive: true })
  return [...new Set(executed)]
}

describe('hostile templates', () => {
  const isInstalled = (command: string, option: string) => spawnSync(command, [option]).status === 0
  it.each([
    ['bash', hostileBash, 23],
    ['python', hostilePython, 6],
    ['powershell', hostilePowershell, 0],
  ] as const)(
    'SCR-16 refuses the hostile templates in %s, except those that execute no value',
    (language, templates, acceptedCount) => {
      const accepted = templates.filter((body) => findMessages(language, body).length === 0)
      expect(accepted).toEqual(templates.slice(templates.length - acceptedCount))
    },
  )

  it.each([
    ['bash', hostileBash, isInstalled('bash', '--version')],
    ['python', hostilePython, isInstalled('python3', '--version')],
    ['powershell', hostilePowershell, isInstalled('pwsh', '-v')],
  ] as const)(
    'SCR-16 executes no value in an accepted template in %s',
    (language, templates, canExecute) => {
      const accepted = templates.filter((body) => findMessages(language, body).length === 0)
      expect(canExecute ? executeTemplates(language, someByDay(accepted, 2)) : []).toEqual([])
    },
    60_000,
  )

  it('SCR-16 accepts ordinary templates', () => {
    const refused = [
      ...ordinaryBash.map((body) => [body, ...findMessages('bash', body)]),
      ...ordinaryPowershell.map((body) => [body, ...findMessages('powershell', body)]),
      ...ordinaryPython.map((body) => [body, ...findMessages('python', body)]),
    ].filter(({ length }) => length > 1)
    expect(refused).toEqual([])
  })
})
