import type { ReactNode } from 'react'

/**
 * Show the markdown of steps and answers: paragraphs, lists, code and bold text. It becomes elements and
 * never HTML, so no text can run a script. A real front end may take a library; it must leave raw HTML out.
 */
export function Markdown({ text }: { text: string }) {
  const blocks = text.split(/^```.*\n([\s\S]*?)^```$/m)
  // The split puts the content of each code block at an odd place.
  return blocks.map((block, index) =>
    index % 2 === 1 ? <pre key={`${index}`}>{block}</pre> : <Prose key={`${index}`} text={block} />,
  )
}

function Prose({ text }: { text: string }) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part, index) => <Part key={`${index}`} text={part.trim()} />)
}

const listMark = /^\s*(?:[-*]|\d+\.)\s+/

function Part({ text }: { text: string }) {
  const lines = text.split('\n')
  if (!lines.every((line) => listMark.test(line))) return <p>{toInline(text)}</p>
  const items = lines.map((line, index) => <li key={`${index}`}>{toInline(line.replace(listMark, ''))}</li>)
  return /^\s*\d/.test(text) ? <ol>{items}</ol> : <ul>{items}</ul>
}

function toInline(text: string): ReactNode[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece, index) => {
    if (piece.startsWith('`')) return <code key={`${index}`}>{piece.slice(1, -1)}</code>
    if (piece.startsWith('**')) return <strong key={`${index}`}>{removeEscapes(piece.slice(2, -2))}</strong>
    return removeEscapes(piece)
  })
}

/** The service escapes values in markdown, with a backslash or a character reference. */
function removeEscapes(text: string): string {
  return text
    .replace(/^#+ /, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}
