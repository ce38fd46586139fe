// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are shell scripts
import { describe, expect, it } from 'vitest'
import {
  unseenHostileBash,
  unseenHostilePython,
  unseenOrdinaryBash,
  unseenOrdinaryPython,
} from './held-out-scripts.ts'
import { hostileBash } from './hostile-scripts.ts'
import { judgeScript } from './judge-script.ts'
import { ordinaryBash } from './ordinary-scripts.ts'

const harmlessCount = 23
const hostile = hostileBash.slice(0, -harmlessCount)
const harmless = [...hostileBash.slice(-harmlessCount), ...ordinaryBash]

/** Places where a script may stand in another one. */
const bashContexts: Readonly<Record<string, (script: string) => string>> = {
  script: (script) => `#!/bin/bash\nset -e\n${script}\n`,
  crlf: (script) => script.replaceAll('\n', '\r\n'),
  comment: (script) => `# it's "a $(comment\n${script}`,
  if: (script) => `if true; then\n${script}\nfi`,
  else: (script) => `if false; then :; else\n${script}\nfi`,
  for: (script) => `for _i in 1; do\n${script}\ndone`,
  while: (script) => `while :; do\n${script}\nbreak\ndone`,
  until: (script) => `until false; do\n${script}\nbreak\ndone`,
  case: (script) => `case a in\n  (a|b)\n${script}\n;;\nesac`,
  group: (script) => `{\n${script}\n}`,
  subshell: (script) => `(\n${script}\n)`,
  function: (script) => `_f() {\n${script}\n}\n_f`,
  keyword: (script) => `function _f {\n${script}\n}\n_f`,
  substitution: (script) => `_o=$(\n${script}\n)`,
  quoted: (script) => `echo "a $(\n${script}\n) b"`,
  process: (script) => `cat <(\n${script}\n)`,
  'here-document': (script) => `cat <<END_OF_CONTEXT\na $(\n${script}\n) b\nEND_OF_CONTEXT`,
  'after a here-document': (script) => `cat <<'END_OF_CONTEXT'\nit's $(\nEND_OF_CONTEXT\n${script}`,
  pipe: (script) => `{\n${script}\n} | cat`,
}

/** The contexts in which a template is judged otherwise. */
const otherInContext: Readonly<Record<string, string[]>> = {
  // A carriage return before the line break: the line is not continued, and the names `ev` and `e` are no
  // commands.
  'ev\\\nal {{ p }}': ['crlf'],
  'ti\\\nme eval {{ p }}': ['crlf'],
  'shopt -s expand_aliases\nalias e=eval\ne {{ p }}': ['crlf'],
}

/** The shell takes a keyword before a carriage return for another word, and cannot read the script. */
function isBroken(script: string, context: string): boolean {
  return context === 'crlf' && /^(if|for|while|until|case|log\(\))[\s\S]*\n/m.test(script)
}

function findAccepting(script: string): string[] {
  return Object.entries(bashContexts).flatMap(([name, place]) =>
    judgeScript('bash', place(script)).some(isProblem) ? [] : [name],
  )
}

/** A value that may not start with a dash is no problem of the template. */
function isProblem(text: string): boolean {
  return !text.includes(': no dash for ')
}

/** Ordinary templates have more parameters than the other ones. */
function nameParameters(script: string): string {
  return script.replace(/\{\{ [su] \}\}/g, '{{ p }}').replaceAll('{{ t }}', '{{ q }}')
}

describe('a template inside another script', () => {
  it.each(hostile)('SCR-16 is refused everywhere if it lets a value run: %j', (script) => {
    expect(findAccepting(script)).toEqual(otherInContext[script] ?? [])
  })

  it.each(harmless)('SCR-16 is accepted everywhere if it executes no value: %j', (script) => {
    const everywhere = Object.keys(bashContexts).filter((name) => !isBroken(script, name))
    expect(findAccepting(nameParameters(script))).toEqual(everywhere)
  })
})

describe('a template of the held-out lists', () => {
  const judge = (language: 'bash' | 'python', script: string) =>
    judgeScript(language, nameParameters(script)).filter(isProblem)

  it.each(unseenHostileBash)('SCR-16 is refused in bash if it lets a value run: %j', (script) => {
    expect(judge('bash', script)).not.toEqual([])
  })

  it.each(unseenHostilePython)('SCR-16 is refused in Python if it lets a value run: %j', (script) => {
    expect(judge('python', script)).not.toEqual([])
  })

  it.each(unseenOrdinaryBash)('SCR-16 is accepted in bash if technicians write it: %j', (script) => {
    expect(judge('bash', script)).toEqual([])
  })

  it.each(unseenOrdinaryPython)('SCR-16 is accepted in Python if technicians write it: %j', (script) => {
    expect(judge('python', script)).toEqual([])
  })
})
