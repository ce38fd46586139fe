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
