import type { Language } from './schema.ts'

// Formats values as literals of a script language. No value can end its literal or start a command. Texts
// must not contain NUL, because a bash string cannot hold it.

export function formatTextLiteral(language: Language, text: string): string {
  return { bash: formatBashText, python: formatPythonText, powershell: formatPowershellText }[language](text)
}

export function formatBooleanLiteral(language: Language, value: boolean): string {
  const literals = {
    bash: { true: 'true', false: 'false' },
    python: { true: 'True', false: 'False' },
    powershell: { true: '$true', false: '$false' },
  }
  return literals[language][value ? 'true' : 'false']
}

/**
 * Inside single quotes bash treats every character literally, including a carriage return. Only the single
 * quote needs escaping.
 */
function formatBashText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Python accepts JSON escapes. Unlike JSON.stringify, also escape all non-ASCII characters, so that the
 * encoding of the file does not matter.
 */
function formatPythonText(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/**
 * Only printable ASCII is written as text; other characters are written as numbers. In PowerShell five
 * characters end a single-quoted string, and a file that is read in another encoding can contain them by
 * accident.
 */
function formatPowershellText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return quotePowershellAscii(text)
  const parts = text.match(/[\x20-\x7e]+|[^\x20-\x7e]/g) ?? []
  const literals = parts.map((part) =>
    /^[\x20-\x7e]+$/.test(part) ? quotePowershellAscii(part) : `[char]${part.charCodeAt(0)}`,
  )
  return `(-join @(${literals.join(',')}))`
}

function quotePowershellAscii(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
