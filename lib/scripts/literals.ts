import type { Language } from './schema.ts'

// Values as complete literals of a language. None can end its string or begin a command, whatever it holds; NUL, which none of the
// languages can hold in a script, must be refused before.

export function quote(language: Language, value: string): string {
  return { bash, python, powershell }[language](value)
}

export function boolean(language: Language, value: boolean): string {
  return { bash: ['false', 'true'], python: ['False', 'True'], powershell: ['$false', '$true'] }[language][Number(value)] ?? ''
}

/** Between single quotes nothing means anything but the single quote itself. A carriage return survives there too. */
function bash(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}

/** JSON's escapes are a part of Python's; what is not ASCII is escaped as well, whatever encoding the file gets. */
function python(value: string): string {
  const ascii = JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
  return ascii.replaceAll('\\/', '/')
}

/**
 * ASCII alone: five characters end a single-quoted string there, and a file read in another encoding makes more of them out of others.
 * What is not printable ASCII is named by its number.
 */
function powershell(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return plain(value)
  const parts = value.match(/[\x20-\x7e]+|[^\x20-\x7e]/g) ?? []
  return `(-join @(${parts.map((part) => (/^[\x20-\x7e]+$/.test(part) ? plain(part) : `[char]${part.charCodeAt(0)}`)).join(',')}))`
}

function plain(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
