import { checkFlowMarkdown } from '#rules/flows/markdown/read.ts'

/** Return a flow file. `lines` start in its fifth line, after the front matter. */
export function flowFile(type: string, lines: readonly string[]): string {
  return ['---', 'name: X', `type: ${type}`, '---', ...lines].join('\n')
}

/** Return the problems of a flow file as `line: message`. */
export function checkFile(text: string): string[] {
  return checkFlowMarkdown(text).map(({ line, message }) => `${line}: ${message}`)
}

export function checkTree(...lines: string[]): string[] {
  return checkFile(flowFile('troubleshooting', lines))
}

export function checkSteps(...lines: string[]): string[] {
  return checkFile(flowFile('procedural', lines))
}

/** Return the problems of an intake table whose header is in line 7. */
export function checkIntakeTable(...lines: string[]): string[] {
  return checkTree('## Solution: x {#x}', '## Intake', ...lines)
}
