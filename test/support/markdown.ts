import { checkMarkdown } from '../../lib/flows/markdown/read.ts'

/** A file whose fifth line is the first of these. */
export const headed = (type: string, lines: readonly string[]) => ['---', 'name: X', `type: ${type}`, '---', ...lines].join('\n')
export const said = (text: string) => checkMarkdown(text).map(({ line, message }) => `${line}: ${message}`)
export const tree = (...lines: string[]) => said(headed('troubleshooting', lines))
export const steps = (...lines: string[]) => said(headed('procedural', lines))
/** What is said of a table whose first row stands in line 7. */
export const intake = (...lines: string[]) => tree('## Solution: x {#x}', '## Intake', ...lines)
