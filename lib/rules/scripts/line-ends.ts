import type { Language } from './schema.ts'

/**
 * Whether the interpreter reads a carriage return as part of a word. Browsers send CR LF from each form, and
 * a script with it fails in its first line. Windows PowerShell needs a byte order mark to read a file as
 * UTF-8, so its scripts stay as they are.
 */
const needsLineFeeds: Record<Language, boolean> = { bash: true, python: true, powershell: false }

/** Return a script with the line ends that its interpreter reads, and without a byte order mark. */
export function useLineEndsOf(language: Language, script: string): string {
  return needsLineFeeds[language] ? script.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n') : script
}

/** Return a value with the line ends of its script. A carriage return alone is no line end, so it stays. */
export function useValueLineEndsOf(language: Language, value: string): string {
  return needsLineFeeds[language] ? value.replaceAll('\r\n', '\n') : value
}

/**
 * Whether Windows PowerShell 5.1 needs a byte order mark to read a script as UTF-8. Without one it reads the file in
 * the code page of the machine: about_Character_Encoding of its documentation.
 */
export function needsByteOrderMark(script: string): boolean {
  return !script.startsWith('\ufeff') && /[^\0-\x7f]/.test(script)
}

// What must be the first statement of a script, so that nothing can stand before it.
const firstStatement = /^[^\S\r\n]*(?:param\s*\(|using\s|\[CmdletBinding|#requires)/im

/**
 * Return a PowerShell script as a file of Windows, with the same lines: with a byte order mark, and with its output
 * in UTF-8, if it has special characters. A script without them stays as it is.
 */
export function toPowerShellFile(script: string): string {
  if (!needsByteOrderMark(script)) return script
  const start = firstStatement.test(script)
    ? ''
    : '[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false; '
  return `\ufeff${start}${script}`
}
