import { parseSync } from '@swc/core'

/** A node of the syntax tree of a source. */
export interface SourceNode {
  type?: string
  span?: Span
  [key: string]: unknown
}
interface Span {
  start: number
  end: number
}

/** Parse a source in TypeScript. `findText` and `findLine` return what stands at the place of a node. */
export function parseSource(source: string): {
  ast: SourceNode
  findText(span: Span): string
  findLine(span: Span): number
} {
  const ast = parseSync(source, { syntax: 'typescript', target: 'esnext' }) as unknown as SourceNode
  const bytes = Buffer.from(source)
  // Positions go on over all parsed sources.
  const offset = (ast.span?.end ?? 0) - Buffer.byteLength(source.trimEnd())
  return {
    ast,
    findText: ({ start, end }) => bytes.subarray(start - offset, end - offset).toString(),
    findLine: ({ start }) =>
      bytes
        .subarray(0, start - offset)
        .toString()
        .split('\n').length,
  }
}

export function* walk(value: unknown): Generator<SourceNode> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) yield value as SourceNode
  for (const child of Object.values(value)) yield* walk(child)
}
