// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are shell scripts
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { formatTextLiteral } from '#rules/scripts/literals.ts'
import { partOfQuotes } from '#rules/scripts/placement-reasons.ts'
import { findPlacementProblems, renderScript, validateTemplate } from '#rules/scripts/render.ts'
import type { Language, ScriptParameter } from '#rules/scripts/schema.ts'
import { measureCpuTimeMs } from '#test/support/measure.ts'
import { night } from '#test/support/night.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const createParameter = (name: string, type: ScriptParameter['type'] = 'string'): ScriptParameter => ({
  name,
  label: name,
  type,
  required: true,
})
const createTemplate = (
  language: Language,
  script_body: string,
  ...parameters_schema: ScriptParameter[]
) => ({
  language,
  script_body,
  parameters_schema: parameters_schema.length > 0 ? parameters_schema : [createParameter('x')],
})
const findProblems = (language: Language, body: string) =>
  validateTemplate(createTemplate(language, body)).map(
    ({ line, message }) => `${line}: ${message.replace('{{ x }} ', '')}`,
  )

// Texts that an incorrect literal could break or change: quotes, escapes, line breaks, operators and
// non-ASCII characters.
const difficultParts = [
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
const randomText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...difficultParts),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ maxLength: 6 }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
const createTexts = (count: number): string[] => fc.sample(randomText, { numRuns: count, seed })

/** Run a script and return the lines it prints. */
function runScript(command: string, args: string[], script: string): string[] {
  const { stdout, stderr, status } = spawnSync(command, args, {
    input: script,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PYTHONUTF8: '1' },
  })
  expect([status, stderr.toString().slice(0, 500)], `seed ${seed}`).toEqual([0, ''])
  return stdout.toString().split('\n').slice(0, -1)
}
const toHex = (text: string) => Buffer.from(text).toString('hex')
const isInstalled = (command: string, args: string[]) => spawnSync(command, args).status === 0

describe('formatTextLiteral', () => {
  it('SCR-13 writes 10,000 texts that bash reads unchanged', () => {
    const values = createTexts(10_000)
    // A line break and NUL separate the texts. No text contains NUL.
    const lines = values.map(
      (text) => `printf %s ${formatTextLiteral('bash', text)} >&3; printf '\\n\\0' >&3`,
    )
    const script = `exec 3>&1\n${lines.join('\n')}\n`
    const { stdout, status } = spawnSync('bash', ['--norc'], { input: script, maxBuffer: 256 * 1024 * 1024 })
    expect(status).toBe(0)
    expect(stdout.toString().split('\n\0').slice(0, -1), `seed ${seed}`).toEqual(values)
  })

  it.skipIf(!isInstalled('python3', ['--version']))(
    'SCR-13 writes 10,000 texts that Python reads unchanged',
    () => {
      const values = createTexts(10_000)
      const script = `import sys\n${values.map((text) => `print((${formatTextLiteral('python', text)}).encode('utf-8').hex())`).join('\n')}\n`
      expect(runScript('python3', ['-'], script)).toEqual(values.map(toHex))
    },
  )

  it('SCR-13 writes 10,000 texts as one PowerShell literal each, in which all five single-quote characters are escaped', () => {
    for (const text of createTexts(10_000))
      expect(readPowerShell(formatTextLiteral('powershell', text)), `seed ${seed}`).toBe(text)
  })

  it.skipIf(!isInstalled('pwsh', ['-v']))(
    'SCR-13 writes 10,000 texts that PowerShell reads unchanged',
    () => {
      const values = createTexts(10_000)
      const script = values
        .map(
          (text) =>
            `[Convert]::ToHexString([Text.Encoding]::UTF8.GetBytes(${formatTextLiteral('powershell', text)})).ToLower()`,
        )
        .join('\n')
      expect(runScript('pwsh', ['-NoProfile', '-Command', '-'], script)).toEqual(values.map(toHex))
    },
  )
})

/**
 * Read a literal like the tokenizer of PowerShell: any of five characters ends a single-quoted string, and
 * two in a row stand for one.
 */
function readPowerShell(literal: string): string {
  const singleQuotes = "'\u2018\u2019\u201a\u201b"
  let index = 0
  const readString = (): string => {
    expect(singleQuotes).toContain(literal[index])
    let text = ''
    for (index++; index < literal.length; index++) {
      const char = literal[index] ?? ''
      if (!singleQuotes.includes(char)) text += char
      else if (singleQuotes.includes(literal[index + 1] ?? ' ')) {
        text += char
        index++
      } else break
    }
    index++
    return text
  }
  // ASCII is the same in every encoding of the file.
  expect(literal).toMatch(/^[\x20-\x7e]*$/)
  if (!literal.startsWith('(-join @(')) {
    const text = readString()
    expect(index).toBe(literal.length)
    return text
  }
  let text = ''
  index = '(-join @('.length
  while (literal[index] !== ')') {
    const charCode = /^\[char\](\d+)/.exec(literal.slice(index, index + 20))
    if (charCode) {
      text += String.fromCharCode(Number(charCode[1]))
      index += charCode[0].length
    } else text += readString()
    if (literal[index] === ',') index++
  }
  expect(literal.slice(index)).toBe('))')
  return text
}

describe('placeholders', () => {
  const joinedToTextBefore = 'is joined to the text before it, which would change its meaning'
  const usedAsCode =
    'reaches a place where its text is executed; use a fixed text there, or give the parameter the type int or choice'
  const inCommandPosition = 'is in the place of a command; its value would be executed'
  const insideQuotes = 'is inside a quoted string; remove the quotes, because the value gets its own'
  it('SCR-04 renderScript replaces a placeholder with a literal of the language, but not a placeholder inside a value', () => {
    const body =
      'a {{ x }} {{x|upper}} {{ x | trim | lower }} {{ n }} {{ b }} {{ x | base64 }} {{ x | json }} {{ n | quote }}'
    const parameters = [createParameter('x'), createParameter('n', 'int'), createParameter('b', 'bool')]
    const values = { x: " It's {{ n }} $& ", n: -5, b: true }
    const render = (language: Language) =>
      renderScript(createTemplate(language, body, ...parameters), values).script
    expect(render('bash')).toBe(
      `a ' It'\\''s {{ n }} $& ' ' IT'\\''S {{ N }} $& ' 'it'\\''s {{ n }} $&' -5 true 'IEl0J3Mge3sgbiB9fSAkJiA=' '" It'\\''s {{ n }} $& "' '-5'`,
    )
    expect(render('python')).toBe(
      `a " It's {{ n }} $& " " IT'S {{ N }} $& " "it's {{ n }} $&" -5 True "IEl0J3Mge3sgbiB9fSAkJiA=" "\\" It's {{ n }} $& \\"" "-5"`,
    )
    expect(render('powershell')).toBe(
      `a ' It''s {{ n }} $& ' ' IT''S {{ N }} $& ' 'it''s {{ n }} $&' -5 $true 'IEl0J3Mge3sgbiB9fSAkJiA=' '" It''s {{ n }} $& "' '-5'`,
    )
  })

  it('SCR-18 renders an escape as literal braces, and fills no parameter inside it', () => {
    const body = 'docker ps --format "{{!.Names}} {{!end}}" {{ x }} # {{! x }} {{!! a }}'
    expect(findProblems('bash', body)).toEqual([])
    const { script } = renderScript(createTemplate('bash', body), { x: '{{! x }}' })
    expect(script).toBe(`docker ps --format "{{.Names}} {{end}}" '{{! x }}' # {{ x }} {{! a }}`)
  })

  it('SCR-18 judges placeholders after an escape by the text that the escape stands for', () => {
    expect(findProblems('python', 'y = f"{{!a}}"\nprint("{{! a }}", {{ x }})\nprint("{{ x }}")')).toEqual([
      `3: ${insideQuotes}`,
    ])
    expect(findProblems('bash', 'cat <<{{!A}}\na\n{{A}}\neval {{ x }}')).toEqual([`4: ${usedAsCode}`])
  })

  it.each(['a\n{{! x', 'a\n{{! x\n}}', 'a\n{{! {{ x }}'])(
    'SCR-18 refuses an escape that does not end on its line: %j',
    (body) => {
      expect(validateTemplate(createTemplate('bash', body))[0]).toEqual({
        line: 2,
        message:
          '{{! must end with }} on the same line, and must not contain {{; it stands for literal braces',
      })
    },
  )

  it('SCR-17 finds a value that starts with a dash where a command would read it as an option', () => {
    const findDashProblem = (body: string, x: string) =>
      findPlacementProblems(createTemplate('bash', body), { x }).get('x')
    expect(findDashProblem('ssh {{ x }} uptime', '-oProxyCommand=id')).toBe(
      'must not start with a dash, because ssh would read it as an option',
    )
    expect(findDashProblem('y={{ x }}; tar -cf a.tar "$y"', '-Iid')).toContain('must not start with a dash')
    for (const body of ['ssh -- {{ x }}', 'ssh admin@{{ x }}', 'echo {{ x }}'])
      expect(findDashProblem(body, '-oProxyCommand=id')).toBeUndefined()
    expect(findDashProblem('ssh {{ x }} uptime', 'server')).toBeUndefined()
  })

  it('SCR-16 accepts a number, a boolean and a choice where text is refused', () => {
    const accepts = (type: ScriptParameter['type'], body: string) =>
      validateTemplate(createTemplate('bash', body, createParameter('x', type))).length === 0
    for (const body of [
      'echo $(( {{ x }} + 1 ))',
      '[[ {{ x }} -eq 1 ]]',
      'echo "{{ x }}" # {{ x }}',
      'n={{ x }}; (( n > 1 ))',
    ])
      expect([body, accepts('int', body), accepts('string', body)]).toEqual([body, true, false])
    for (const body of ['systemctl {{ x }} app; eval {{ x }}', '{{ x }} --version'])
      expect([body, accepts('choice', body) || body, accepts('string', body)]).toEqual([body, true, false])
    expect([
      accepts('bool', 'if {{ x }}; then ls; fi'),
      accepts('string', 'if {{ x }}; then ls; fi'),
    ]).toEqual([true, false])
  })

  it('validateTemplate refuses a placeholder that names no parameter, or whose filter is unknown or does not fit the type', () => {
    expect(
      validateTemplate(createTemplate('bash', 'echo {{ y }}\necho {{ x | raw }}\necho {{ x | int }}')),
    ).toEqual([
      { line: 1, message: '{{ y }} is not a parameter of this script' },
      { line: 2, message: '{{ x }} uses the unknown filter raw' },
      {
        line: 3,
        message:
          "{{ x }} uses the filter int, but the parameter's type is not int; change the type or remove the filter",
      },
    ])
  })

  it.each([
    ['echo {{ x }} >{{x}} a={{x}} /opt/{{x}}/bin $(ls {{ x }}) <<<{{x}} # done', undefined],
    ['if [ {{x}} = y ]; then echo "a" {{x}}; fi\nfor i in {{x}}; do ls "$i"; done', undefined],
    ['echo $#{{x}} ${a#b} {{x}}', undefined],
    ['cat <<EOF >{{x}}\nbody\nEOF\necho {{x}}', undefined],
    ["cat <<-'A' <<B\n\ta\n\tA\nb\nB\nls {{x}}", undefined],
    ['cat <<""\nbody\n\nls {{x}}', undefined],
    ["y=$(case $a in b) echo 'it\"s';; esac) ; ls {{x}}", undefined],
    ['echo "{{ x }}"', insideQuotes],
    ["echo '{{ x }}'", insideQuotes],
    ["echo $'{{ x }}'", insideQuotes],
    ['echo "a $(ls {{ x }}) b"', undefined],
    ['echo a # {{ x }}', 'is inside a comment'],
    ['cat <<EOF\n{{ x }}\nEOF', 'is inside a here-document'],
    ['cat <<A <<B\na\nA\n{{ x }}\nB', 'is inside a here-document'],
    ['cat <<A\na\nA\n{{ x }}', inCommandPosition],
    ['cat <<A\na\nA\n#{{ x }}', 'is inside a comment'],
    ['cat <<{{x}}', 'is the delimiter of a here-document'],
    ['echo `ls {{x}}`', 'is inside backticks; use $( … ) instead'],
    ['echo ${y:-{{x}}}', 'is inside the braces of a variable'],
    ['echo $(( 1 + {{x}} ))', 'is inside arithmetic, which executes text; give the parameter the type int'],
    ['(( {{x}} > 1 ))', 'is inside arithmetic, which executes text; give the parameter the type int'],
    ['echo ${{x}}', 'is inside the braces of a variable'],
    ['echo \\{{x}}', joinedToTextBefore],
    ['{{ x }} --version', inCommandPosition],
    ['ls | {{x}}', inCommandPosition],
    ['ls && \\\n {{x}}', inCommandPosition],
    ['if {{x}}; then ls; fi', inCommandPosition],
    ['eval {{x}}', usedAsCode],
    ['bash -c {{x}}', usedAsCode],
    ['y=$({{x}})', inCommandPosition],
  ])('validateTemplate accepts or refuses the placeholder in bash: %j', (body, reason) => {
    expect(findProblems('bash', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(
      reason ? [reason] : [],
    )
  })

  it.each([
    ['print({{ x }}, "a", {{x}}) # done\ny = [{{x}}]', undefined],
    ["s = '''it's\n#'''\nprint({{x}})", undefined],
    ['print("{{ x }}")', insideQuotes],
    ["print(f'{{ x }}')", insideQuotes],
    ['s = """\n{{ x }}\n"""', insideQuotes],
    ['# {{ x }}', 'is inside a comment'],
    ['print(f{{x}})', joinedToTextBefore],
    ["print('a'{{x}})", joinedToTextBefore],
    ['print({{x}}b)', 'is joined to the text after it, which would become part of it'],
  ])('validateTemplate accepts or refuses the placeholder in Python: %j', (body, reason) => {
    expect(findProblems('python', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(
      reason ? [reason] : [],
    )
  })

  it.each([
    ['Get-Service -Name {{ x }} # done\n$a = @({{x}},{{x}})', undefined],
    ['Write-Host "it`"s" {{x}}\n<# a #>\nSet-Item -Path:{{x}}', undefined],
    ["$a = @'\nit's\n'@\nStop-Service {{x}}", undefined],
    ['Write-Host “it’s” {{x}}', undefined],
    ['Write-Host "{{ x }}"', insideQuotes],
    ['Write-Host ’{{ x }}’', insideQuotes],
    ['Write-Host „{{ x }}”', insideQuotes],
    ['Write-Host "$(Get-Item {{ x }})"', partOfQuotes.powershell],
    ['@"\n{{ x }}\n"@', 'is inside a here-string'],
    ['<# {{ x }} #>', 'is inside a comment'],
    ['icacls --% {{x}}', 'is after --%, where quotes have no meaning'],
    ['& {{x}}', inCommandPosition],
    ['. {{ x }}', inCommandPosition],
    ['iex {{x}}', usedAsCode],
    ['Get-Item C:\\{{x}}', joinedToTextBefore],
    ['$a{{x}}', joinedToTextBefore],
    ['Get-Item {{x}}.txt', undefined],
    ['Get-Item {{x}}\\a', 'is joined to the text after it, which would become part of it'],
  ])('validateTemplate accepts or refuses the placeholder in PowerShell: %j', (body, reason) => {
    expect(findProblems('powershell', body).map((line) => line.replace(/^\d+: /, ''))).toEqual(
      reason ? [reason] : [],
    )
  })

  it.each([
    ...[
      'sudo -u root',
      'sudo -uroot',
      'sudo -nu root',
      'sudo --user root',
      'sudo --user=root',
      'sudo --non-interactive',
      'sudo A=b',
      'doas -u root',
    ],
    ...[
      'env -i A=b',
      'env --unset A',
      'nohup',
      'nice -n 5',
      'nice -n5',
      'time -p',
      'stdbuf -oL',
      'command -p',
      'exec -a name',
      'busybox',
    ],
    ...[
      'timeout 5',
      'timeout -s KILL 5',
      'timeout --signal KILL 5',
      'timeout --kill-after=1 --foreground 5',
      'timeout -- 5',
    ],
    ...[
      'chroot /mnt',
      'flock -w 1 /tmp/lock',
      'taskset -c 1',
      'chrt -f 10',
      'ip netns exec blue',
      'ip -4 netns exec blue',
    ],
    ...[
      'docker exec -it web',
      'docker --debug run --rm --name web image',
      'podman exec web',
      'kubectl -n prod exec pod',
      'sudo timeout 5 nice',
    ],
  ])('validateTemplate judges the command after %j as a command of its own', (prefix) => {
    const findReasons = (rest: string) => findProblems('bash', `${prefix} ${rest}`)
    expect([findReasons('echo {{ x }}'), findReasons('{{ x }} a'), findReasons('eval {{ x }}')]).toEqual([
      [],
      [`1: ${inCommandPosition}`],
      [`1: ${usedAsCode}`],
    ])
  })

  it.each([
    'sudo --unknown',
    'nice -x',
    'nice -xn 5',
    'env --split-string=a',
    'env -',
    'docker exec --unknown web',
  ])('validateTemplate refuses text after the option of %j, which is not known', (prefix) => {
    expect(findProblems('bash', `${prefix} echo {{ x }}`)).toEqual([
      '1: is the argument of a command that the check does not know; write the name of the command',
    ])
  })

  it.each([
    'command -v {{ x }}',
    'command -V {{ x }}',
    'docker ps {{ x }}',
    'ip route add {{ x }}',
    'ip netns list {{ x }}',
  ])('validateTemplate accepts %j, which executes no argument', (body) => {
    expect(findProblems('bash', body)).toEqual([])
  })

  it('validateTemplate follows up to seven commands that execute each other', () => {
    expect(findProblems('bash', `${'nohup '.repeat(7)}echo {{ x }}`)).toEqual([])
    expect(findProblems('bash', `${'nohup '.repeat(8)}echo {{ x }}`)).toEqual([
      '1: is in a script that the check cannot follow after line 1',
    ])
  })

  it.each(['chroot {{ x }} ls', 'timeout {{ x }} ls', 'docker exec {{ x }} ls'])(
    'SCR-17 refuses a value that starts with a dash before the command of %j',
    (body) => {
      expect(findPlacementProblems(createTemplate('bash', body), { x: '-a' }).get('x')).toContain(
        'must not start with a dash',
      )
    },
  )

  it('renderScript fills a parameter without a value with an empty value of its type, and prefers a default', () => {
    const parameters = [createParameter('x'), createParameter('n', 'int'), createParameter('b', 'bool')]
    const withDefault = { ...createParameter('d', 'int'), default: 7 }
    const template = createTemplate(
      'bash',
      'echo {{ x }} {{ n }} {{ b }} {{ d }}',
      ...parameters,
      withDefault,
    )
    expect(renderScript(template, {}).script).toBe("echo '' 0 false 7")
    expect(renderScript(template, { x: null, n: 1, b: true, d: 2 }).script).toBe("echo '' 1 true 2")
  })

  it('renderScript warns of a parameter that the script does not use, and of a password in the script', () => {
    const parameters = [
      createParameter('x'),
      createParameter('p', 'password'),
      createParameter('q', 'password'),
    ]
    expect(renderScript(createTemplate('bash', 'echo {{ p }}', ...parameters), { p: 'a' }).warnings).toEqual([
      'The script does not use x',
      'The script does not use q',
      'The script contains p as plain text; do not store the script',
    ])
  })

  it('findPlacementProblems names the reason why a stored template must not be filled', () => {
    expect(findPlacementProblems(createTemplate('bash', 'eval {{ x }}'), { x: 'a' })).toEqual(
      new Map([['x', `cannot be filled in safely, because {{ x }} ${usedAsCode}`]]),
    )
  })

  it.each([
    ['bash', 'echo {{ x }}\0', 'is in a script that the check cannot follow after line 1'],
    ['bash', 'echo a\\\nb; echo {{ x }}', 'is in a script that the check cannot follow after line 1'],
    ['python', 'print({{ x }})\0', 'is in a script that the check cannot follow after line 1'],
    ['powershell', 'Write-Host {{ x }}\0', 'is in a script with an unclosed string or comment'],
    ['powershell', 'Write-Host {{ x }}\nWrite-Host "a', 'is in a script with an unclosed string or comment'],
    ['powershell', 'Write-Host {{ x }} <# a', 'is in a script with an unclosed string or comment'],
    ['powershell', 'Write-Host ${a{{ x }}}', 'is inside the name of a variable'],
    ['powershell', 'Write-Host ${a`}{{ x }}}', 'is inside the name of a variable'],
    ['powershell', '$a = @"\n"a {{ x }}\n"@', 'is inside a here-string'],
    ['powershell', 'Write-Host “a””{{ x }}”', insideQuotes],
  ] as const)('validateTemplate refuses text in %s that it cannot follow: %j', (language, body, reason) => {
    expect(validateTemplate(createTemplate(language, body))[0]?.message).toBe(`{{ x }} ${reason}`)
  })

  it.each([
    'Write-Host {{ x }} # "',
    'Write-Host {{ x }}\nicacls --% "a',
    'icacls --% "a\nWrite-Host {{ x }}',
    'Write-Host ${a"b} {{ x }}',
    'Write-Host `\r\n  {{ x }}',
    'Write-Host a#"b" {{ x }}',
    'Write-Host --%a {{ x }}',
    "$a = @'\n'a\n'@\nWrite-Host {{ x }}",
  ])(
    'validateTemplate accepts text in PowerShell after the end of a string, a comment or a name: %j',
    (body) => {
      expect(findProblems('powershell', body)).toEqual([])
    },
  )

  it('validateTemplate returns at most 100 problems', () => {
    expect(validateTemplate(createTemplate('bash', 'eval {{ x }}\n'.repeat(101)))).toHaveLength(100)
    expect(validateTemplate(createTemplate('bash', '{{! a\n'.repeat(101)))).toHaveLength(100)
  })

  it('SCR-13 never executes a value in an accepted bash script', () => {
    const bodies = [
      'printf %s {{ x }}',
      'y={{x}}; printf %s "$y"',
      'printf %s pre{{ x }}',
      'z=$(printf %s {{ x }}; echo .); printf %s "${z%.*}"',
      'case {{x}} in *) printf %s {{ x }};; esac',
      'if [ {{x}} = {{x}} ]; then printf %s {{ x }}; fi',
    ]
    const texts = createTexts(300).filter((text) => !text.includes('\n'))
    for (const body of bodies) {
      expect(findProblems('bash', body)).toEqual([])
      const scripts = texts.map(
        (x) => `${renderScript(createTemplate('bash', body), { x }).script}\nprintf '\\n\\0'`,
      )
      const { stdout, stderr } = spawnSync('bash', ['--norc'], {
        // With this PATH, bash finds only its built-in commands.
        input: ['PATH=/nowhere', ...scripts].join('\n'),
        maxBuffer: 64 * 1024 * 1024,
      })
      expect(stderr.toString(), `seed ${seed}, ${body}`).toBe('')
      const expectedOutputs = texts.map((x) => (body.includes('pre') ? `pre${x}` : x))
      expect(stdout.toString().split('\n\0').slice(0, -1), `seed ${seed}, ${body}`).toEqual(expectedOutputs)
    }
  })

  it('validateTemplate takes linear time for a hostile script', night, () => {
    const parts = [
      '{{ x }}',
      '{{ x | ',
      '"',
      '<<A\n',
      '$((',
      '`',
      '{{',
      '{{!',
      'a[',
      'f(',
      'sudo ',
      'x=$y;',
      '$(: ")" ',
      'f(")",',
      'as ',
      '$x = {{ x }};',
      '& (',
      '-f',
      'def f(x):\n f(x)\n',
      'declare -i "y$x"\nz=1\n',
      'subprocess.run(["bash", "a"])\n',
      'c = ["a"]\nsubprocess.run(c)\n',
    ]
    const ms = measureCpuTimeMs(() => {
      for (const part of parts)
        for (const language of ['bash', 'python', 'powershell'] as const)
          runWithin(createBudget({ steps: jobSteps }), () =>
            validateTemplate(createTemplate(language, part.repeat(Math.floor(50_000 / part.length)))),
          )
    })
    expect(ms).toBeLessThan(10_000)
  })
})

describe('a script from a form', () => {
  const render = (language: Language, body: string, value = 'a') =>
    renderScript(createTemplate(language, body), { x: value }).script

  it.each<[Language, string]>([
    ['bash', '#!/bin/bash\nset -e\necho '],
    ['python', '#!/usr/bin/env python3\nprint('],
  ])('SCR-26 has line feeds in %s, in its values too, and no byte order mark', (language, body) => {
    const end = language === 'python' ? ')\n' : '\n'
    const sent = `\ufeff${body}{{ x }}${end}`.replaceAll('\n', '\r\n')
    expect(render(language, sent, 'root\r\nadmin')).toBe(
      body + formatTextLiteral(language, 'root\nadmin') + end,
    )
  })

  it('SCR-26 runs in bash', () => {
    const script = render('bash', 'set -e\r\nif true; then\r\n  printf %s {{ x }}\r\nfi\r\n', 'a b')
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe('a b')
  })

  it('SCR-26 stays as it is in PowerShell, with a warning that its special characters need a byte order mark', () => {
    const body = '\ufeffWrite-Host {{ x }} # caf\u00e9\r\n'
    const find = (text: string) => renderScript(createTemplate('powershell', text), { x: 'a' })
    expect(find(body)).toEqual({ script: "\ufeffWrite-Host 'a' # caf\u00e9\r\n", warnings: [] })
    expect(find(body.slice(1)).warnings).toEqual([expect.stringContaining('byte order mark')])
    expect(find('Write-Host {{ x }}').warnings).toEqual([])
  })
})

describe('the warnings of a rendered script', () => {
  const find = (language: Language, body: string, values: object, required = true) =>
    renderScript(createTemplate(language, body, { ...createParameter('x'), required }), { ...values })
      .warnings
  const changed = expect.stringContaining('passes the value of x to')

  it.each<[string, string, unknown[]]>([
    ['robocopy {{ x }} D:\\', 'C:\\Program Files\\', [changed]],
    ['& "C:\\Windows\\System32\\net.exe" user {{ x }}', 'a"b', [changed]],
    ['if ($true) { icacls.exe {{ x }} }', '', [changed]],
    ['Get-Item x | robocopy {{ x }} D:', 'say "hi"', [changed]],
    ['robocopy {{ x }} D:\\', 'C:\\Temp\\', []],
    ['Copy-Item {{ x }} D:\\', 'C:\\Program Files\\', []],
    ['robocopy C: D:; Write-Host {{ x }}', 'a"b', []],
  ])('SCR-29 of %s with %j', (body, x, expected) => {
    expect(find('powershell', body, { x }).filter((warning) => warning.includes('changed'))).toEqual(expected)
  })

  it('SCR-30 name a text that is left out, because an empty argument is one', () => {
    const empty = ['x has no value, so the script contains an empty text in its place']
    expect(find('bash', 'useradd bob -p {{ x }}', {}, false)).toEqual(empty)
    expect(find('python', 'print({{ x }})', {}, false)).toEqual(empty)
    expect(find('bash', 'useradd bob -p {{ x }}', { x: 'a' }, false)).toEqual([])
  })
})
