// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are shell
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quote } from '../../lib/scripts/quote.ts'
import { renderScript, templateProblems } from '../../lib/scripts/render.ts'
import type { Language, ScriptParameter } from '../../lib/scripts/schema.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const parameter = (name: string, type: ScriptParameter['type'] = 'string'): ScriptParameter => ({ name, label: name, type, required: true })
const template = (language: Language, script_body: string, ...parameters_schema: ScriptParameter[]) => ({
  language,
  script_body,
  parameters_schema: parameters_schema.length > 0 ? parameters_schema : [parameter('x')],
})
const problems = (language: Language, body: string) =>
  templateProblems(template(language, body)).map(({ line, message }) => `${line}: ${message.replace('{{ x }} ', '')}`)

// What breaks quoting somewhere, and what anybody types.
const poison = [
  "'",
  '"',
  '`',
  '$',
  '\\',
  '\n',
  '\r',
  '\r\n',
  '$(id)',
  '`id`',
  '${x}',
  '%0',
  '!',
  '{{ x }}',
  '$&',
  "$'",
  "'''",
  '"""',
  '\u2018',
  '\u2019',
  '\u201a',
  '\u201b',
  '\u201c',
  '\u0112',
  '\u{1f600}',
  '\u2028',
  '\u00a0',
  '\t',
  '\u0001',
  '\u007f',
  ';',
  '|',
  '&',
  '#',
  '\ufeff',
  '--',
  "\\'",
  "'; rm -rf /; '",
]
const value = fc
  .array(fc.oneof(fc.constantFrom(...poison), fc.string({ unit: 'grapheme', maxLength: 6 }), fc.string({ maxLength: 6 })), { maxLength: 8 })
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
const sample = (count: number): string[] => fc.sample(value, { numRuns: count, seed })

/** Runs one script that prints each value's UTF-8 in hexadecimal, a line each, and answers what it printed. */
function printed(command: string, args: string[], script: string): string[] {
  const { stdout, stderr, status } = spawnSync(command, args, {
    input: script,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PYTHONUTF8: '1' },
  })
  expect([status, stderr.toString().slice(0, 500)], `seed ${seed}`).toEqual([0, ''])
  return stdout.toString().split('\n').slice(0, -1)
}
const hex = (text: string) => Buffer.from(text).toString('hex')
const has = (command: string, args: string[]) => spawnSync(command, args).status === 0

describe('a value as a literal', () => {
  it('SCR-13 comes back from bash as it went in, 10,000 times', () => {
    const values = sample(10_000)
    // One process: od turns each into hexadecimal, so that a value cannot look like another line.
    const lines = values.map((text) => `printf %s ${quote('bash', text)} >&3; printf '\\n\\0' >&3`)
    const script = `exec 3>&1\n${lines.join('\n')}\n`
    const { stdout, status } = spawnSync('bash', ['--norc'], { input: script, maxBuffer: 256 * 1024 * 1024 })
    expect(status).toBe(0)
    expect(stdout.toString().split('\n\0').slice(0, -1), `seed ${seed}`).toEqual(values)
  })

  it.skipIf(!has('python3', ['--version']))('SCR-13 comes back from Python as it went in, 10,000 times', () => {
    const values = sample(10_000)
    const script = `import sys\n${values.map((text) => `print((${quote('python', text)}).encode('utf-8').hex())`).join('\n')}\n`
    expect(printed('python3', ['-'], script)).toEqual(values.map(hex))
  })

  it('SCR-13 is one token to PowerShell, which knows five single quotes, and gives its text back, 10,000 times', () => {
    for (const text of sample(10_000)) expect(readPowerShell(quote('powershell', text)), `seed ${seed}`).toBe(text)
  })

  it.skipIf(!has('pwsh', ['-v']))('SCR-13 comes back from PowerShell as it went in', () => {
    const values = sample(10_000)
    const script = values
      .map((text) => `[Convert]::ToHexString([Text.Encoding]::UTF8.GetBytes(${quote('powershell', text)})).ToLower()`)
      .join('\n')
    expect(printed('pwsh', ['-NoProfile', '-Command', '-'], script)).toEqual(values.map(hex))
  })
})

/** Reads a literal as PowerShell's tokenizer does: five characters end a single-quoted string, a doubled one stands for itself. */
function readPowerShell(literal: string): string {
  const marks = "'\u2018\u2019\u201a\u201b"
  let at = 0
  const string = (): string => {
    expect(marks).toContain(literal[at])
    let text = ''
    for (at++; at < literal.length; at++) {
      const char = literal[at] ?? ''
      if (!marks.includes(char)) text += char
      else if (marks.includes(literal[at + 1] ?? ' ')) text += literal[at++]
      else break
    }
    at++
    return text
  }
  // A file in another encoding reads the same.
  expect(literal).toMatch(/^[\x20-\x7e]*$/)
  if (!literal.startsWith('(-join @(')) {
    const text = string()
    expect(at).toBe(literal.length)
    return text
  }
  let text = ''
  for (at = '(-join @('.length; literal[at] !== ')'; ) {
    const number = /^\[char\](\d+)/.exec(literal.slice(at, at + 20))
    if (number) {
      text += String.fromCharCode(Number(number[1]))
      at += number[0].length
    } else text += string()
    if (literal[at] === ',') at++
  }
  expect(literal.slice(at)).toBe('))')
  return text
}

describe('a placeholder', () => {
  it('SCR-04 becomes a literal of its language through its filters, once and never again', () => {
    const body = 'a {{ x }} {{x|upper}} {{ x | trim | lower }} {{ n }} {{ b }} {{ x | base64 }} {{ x | json }} {{ n | quote }}'
    const all = [parameter('x'), parameter('n', 'int'), parameter('b', 'bool')]
    const values = { x: " It's {{ n }} $& ", n: -5, b: true }
    const of = (language: Language) => renderScript(template(language, body, ...all), values).script
    expect(of('bash')).toBe(
      `a ' It'\\''s {{ n }} $& ' ' IT'\\''S {{ N }} $& ' 'it'\\''s {{ n }} $&' -5 true 'IEl0J3Mge3sgbiB9fSAkJiA=' '" It'\\''s {{ n }} $& "' '-5'`,
    )
    expect(of('python')).toBe(
      `a " It's {{ n }} $& " " IT'S {{ N }} $& " "it's {{ n }} $&" -5 True "IEl0J3Mge3sgbiB9fSAkJiA=" "\\" It's {{ n }} $& \\"" "-5"`,
    )
    expect(of('powershell')).toBe(
      `a ' It''s {{ n }} $& ' ' IT''S {{ N }} $& ' 'it''s {{ n }} $&' -5 $true 'IEl0J3Mge3sgbiB9fSAkJiA=' '" It''s {{ n }} $& "' '-5'`,
    )
  })

  it('is refused when nobody fills it, or its filter is none', () => {
    expect(templateProblems(template('bash', 'echo {{ y }}\necho {{ x | raw }}\necho {{ x | int }}'))).toEqual([
      { line: 1, message: '{{ y }} is no parameter of this script' },
      { line: 2, message: '{{ x }} uses the filter raw, which there is not' },
      { line: 3, message: '{{ x }} is no whole number' },
    ])
  })

  const string = 'stands in a quoted string: leave the quotes out, the value brings its own'
  const command = 'stands where a command is named: its value would be run'
  const apart = 'does not stand by itself: what is before it would change its meaning'

  it.each([
    ['echo {{ x }} >{{x}} a={{x}} /opt/{{x}}/bin $(ls {{ x }}) <<<{{x}} # done', undefined],
    ['if [ {{x}} = y ]; then echo "a" {{x}}; fi\nfor i in {{x}}; do ls "$i"; done', undefined],
    ['echo $#{{x}} ${a#b} {{x}}', undefined],
    ['cat <<EOF >{{x}}\nbody\nEOF\necho {{x}}', undefined],
    ["cat <<-'A' <<B\n\ta\n\tA\nb\nB\nls {{x}}", undefined],
    ["y=$(case $a in b) echo 'it\"s';; esac) ; ls {{x}}", undefined],
    ['echo "{{ x }}"', string],
    ["echo '{{ x }}'", string],
    ["echo $'{{ x }}'", string],
    ['echo "a $(ls {{ x }}) b"', string],
    ['echo a # {{ x }}', 'stands in a comment'],
    ['cat <<EOF\n{{ x }}\nEOF', 'stands in a here-document'],
    ['cat <<A <<B\na\nA\n{{ x }}\nB', 'stands in a here-document'],
    ['cat <<{{x}}', 'names a here-document'],
    ['echo `ls {{x}}`', 'stands between backticks: use $( … ) instead'],
    ['echo ${y:-{{x}}}', 'stands inside the braces of a variable'],
    ['echo $(( 1 + {{x}} ))', 'stands in arithmetic: put it into a variable first'],
    ['(( {{x}} > 1 ))', 'stands in arithmetic: put it into a variable first'],
    ['echo ${{x}}', 'stands inside the braces of a variable'],
    ['echo \\{{x}}', apart],
    ['{{ x }} --version', command],
    ['ls | {{x}}', command],
    ['ls && \\\n {{x}}', command],
    ['if {{x}}; then ls; fi', command],
    ['eval {{x}}', command],
    ['bash -c {{x}}', command],
    ['y=$({{x}})', command],
  ])('in bash, %j is judged right', (body, reason) => {
    expect(problems('bash', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(reason ? [reason] : [])
  })

  it.each([
    ['print({{ x }}, "a", {{x}}) # done\ny = [{{x}}]', undefined],
    ["s = '''it's\n#'''\nprint({{x}})", undefined],
    ['print("{{ x }}")', string],
    ["print(f'{{ x }}')", string],
    ['s = """\n{{ x }}\n"""', string],
    ['# {{ x }}', 'stands in a comment'],
    ['print(f{{x}})', apart],
    ["print('a'{{x}})", apart],
    ['print({{x}}b)', 'does not stand by itself: what is after it would become a part of it'],
  ])('in Python, %j is judged right', (body, reason) => {
    expect(problems('python', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(reason ? [reason] : [])
  })

  it.each([
    ['Get-Service -Name {{ x }} # done\n$a = @({{x}},{{x}})', undefined],
    ['Write-Host "it`"s" {{x}}\n<# a #>\nSet-Item -Path:{{x}}', undefined],
    ["$a = @'\nit's\n'@\nStop-Service {{x}}", undefined],
    ['Write-Host “it’s” {{x}}', undefined],
    ['Write-Host "{{ x }}"', string],
    ['Write-Host ’{{ x }}’', string],
    ['Write-Host „{{ x }}”', string],
    ['Write-Host "$(Get-Item {{ x }})"', string],
    ['@"\n{{ x }}\n"@', 'stands in a here-string'],
    ['<# {{ x }} #>', 'stands in a comment'],
    ['icacls --% {{x}}', 'stands behind --%, where nothing is quoted'],
    ['& {{x}}', command],
    ['. {{ x }}', command],
    ['iex {{x}}', command],
    ['Get-Item C:\\{{x}}', apart],
    ['$a{{x}}', apart],
    ['Get-Item {{x}}.txt', undefined],
    ['Get-Item {{x}}\\a', 'does not stand by itself: what is after it would become a part of it'],
  ])('in PowerShell, %j is judged right', (body, reason) => {
    expect(problems('powershell', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(reason ? [reason] : [])
  })

  it('SCR-13 in a bash script that is taken, no value runs anything, whatever it says', () => {
    const bodies = [
      'printf %s {{ x }}',
      'y={{x}}; printf %s "$y"',
      'printf %s pre{{ x }}',
      'z=$(printf %s {{ x }}; echo .); printf %s "${z%.*}"',
      'case {{x}} in *) printf %s {{ x }};; esac',
      'if [ {{x}} = {{x}} ]; then printf %s {{ x }}; fi',
    ]
    const values = sample(300).filter((text) => !text.includes('\n'))
    for (const body of bodies) {
      expect(problems('bash', body)).toEqual([])
      const scripts = values.map((x) => `${renderScript(template('bash', body), { x }).script}\nprintf '\\n\\0'`)
      const { stdout, stderr } = spawnSync('bash', ['--norc'], {
        // Nothing but the shell's own commands can be found.
        input: ['PATH=/nowhere', ...scripts].join('\n'),
        maxBuffer: 64 * 1024 * 1024,
      })
      expect(stderr.toString(), `seed ${seed}, ${body}`).toBe('')
      const expected = values.map((x) => (body.includes('pre') ? `pre${x}` : x))
      expect(stdout.toString().split('\n\0').slice(0, -1), `seed ${seed}, ${body}`).toEqual(expected)
    }
  })

  it('is found in linear time in a hostile body', () => {
    const started = performance.now()
    for (const part of ['{{ x }}', '{{ x | ', '"', '<<A\n', '$((', '`', '{{'])
      for (const language of ['bash', 'python', 'powershell'] as const)
        templateProblems(template(language, part.repeat(Math.floor(200_000 / part.length))))
    expect(performance.now() - started).toBeLessThan(8000)
  })
})
