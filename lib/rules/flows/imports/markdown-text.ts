import { escapeMarkdown, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { findLongestRun } from '#rules/text/longest-run.ts'

/** Write a plain text as markdown, each of its lines as a paragraph. */
export function writePlain(text: string): Markdown {
  const lines = text.split(/[\r\n]+/).flatMap((line) => line.trim() || [])
  return joinBlocks(lines.map((line) => escapeMarkdown(line)))
}

export function joinBlocks(blocks: readonly Markdown[]): Markdown {
  return toMarkdown(blocks.filter(Boolean).join('\n\n'))
}

/** Write a code block. Its fence is longer than any in the code. */
export function writeCode(code: string, language = ''): Markdown {
  const fence = '`'.repeat(Math.max(3, findLongestRun(code, '`') + 1))
  return toMarkdown(
    `${fence}${/^[\w+-]{1,20}$/.test(language) ? language : ''}\n${code.replace(/\r\n?/g, '\n').replace(/\n+$/, '')}\n${fence}`,
  )
}

/** Write code inside of a line. */
export function writeCodeSpan(code: string): Markdown {
  const text = code.replace(/\s+/g, ' ').trim()
  const fence = '`'.repeat(findLongestRun(text, '`') + 1)
  const padding = /^`|`$/.test(text) ? ' ' : ''
  return toMarkdown(text === '' ? '' : `${fence}${padding}${text}${padding}${fence}`)
}

/** Write a link, or only its text if the address is no web address. */
export function writeLink(text: string, url: string): Markdown {
  const label = escapeMarkdown(text)
  const isWeb = /^https?:\/\/[^\s<>()\\]{1,1900}$/i.test(url)
  if (isWeb) return toMarkdown(`[${label}](<${url}>)`)
  return toMarkdown(url === '' ? label : `${label}: ${writeCodeSpan(url)}`)
}
