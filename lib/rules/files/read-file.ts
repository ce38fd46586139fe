import { Problem } from '#problem.ts'
import { ArchiveError, type PackedFile } from '#rules/archive/zip.ts'
import { createBudget, runWithin, stepsPerSecond, tooComplex } from '#rules/budget.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'
import type { ArticleFile, TextFormat } from '#rules/knowledge/article.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'

// Every reader of a file that a stranger wrote. They are loaded on first use, because their parsers are large.

const loadArticle = () => import('#rules/knowledge/article.ts')
const loadDrawio = () => import('#rules/diagrams/drawio.ts')
const loadMermaid = () => import('#rules/diagrams/mermaid.ts')
const loadFlow = () => import('#rules/flows/markdown/read.ts')

const readers = {
  article_file: async (file: ArticleFile) => (await loadArticle()).readArticleFile(file),
  article_text: async ({ format, title, content }: { format: TextFormat; title: string; content: string }) =>
    (await loadArticle()).readArticleText(format, title, content),
  archived_article: async ({ packed, name }: { packed: PackedFile; name: string }) =>
    (await loadArticle()).readArchived(packed, name),
  drawio: async ({ content, page }: { content: string; page: number | string }) =>
    (await loadDrawio()).parseDrawio(content, page),
  mermaid: async (content: string) => (await loadMermaid()).parseMermaid(content),
  flow: async (markdown: string) => {
    const { flow, problems } = (await loadFlow()).readFlowMarkdown(markdown)
    return { flow, problems }
  },
  flow_problems: async (markdown: string) => (await loadFlow()).checkFlowMarkdown(markdown),
}

/** Load every reader, so that the first file is not late. */
export const loadReaders = () => Promise.all([loadArticle(), loadDrawio(), loadMermaid(), loadFlow()])

export type FileKind = keyof typeof readers
export type FileInput<Kind extends FileKind> = Parameters<(typeof readers)[Kind]>[0]
export type FileResult<Kind extends FileKind> = Awaited<ReturnType<(typeof readers)[Kind]>>

/** Half a second: a step of a reader takes 6 ns at most, which the soak of hostile files measures. */
const maxSteps = 0.8 * stepsPerSecond
/** What a reader may keep in memory, in bytes. A Worker has 128 MB for all that it does. */
const maxBytes = 48 * 1024 * 1024

export interface FileRequest<Kind extends FileKind = FileKind> {
  kind: Kind
  input: FileInput<Kind>
  /** The work that is allowed. */
  steps: number
}

/** What became of a file: a result, or the error to throw. */
export type FileOutcome<Result = unknown> = {
  /** The work that was done. */
  steps: number
} & ({ result: Result } | { error: unknown })

/** Read a file within a budget of its own. Never throw. */
export async function readFile<Kind extends FileKind>({
  kind,
  input,
  steps,
}: FileRequest<Kind>): Promise<FileOutcome<FileResult<Kind>>> {
  const budget = createBudget({ steps: Math.min(steps, maxSteps), bytes: maxBytes })
  const read = readers[kind] as (input: FileInput<Kind>) => Promise<FileResult<Kind>>
  try {
    const result = await runWithin(budget, () => read(input))
    return { result, steps: budget.getSpent().steps }
  } catch (error) {
    return { error: isOverflow(error) ? tooComplex() : error, steps: budget.getSpent().steps }
  }
}

/** Return whether V8 refused a call, a text or a list, because it would be too large. */
const isOverflow = (error: unknown) =>
  // Bounded: V8 wrote the message.
  error instanceof RangeError && /call stack|invalid .*length|allocation/i.test(error.message)

/** An error that another process can create again. */
export type Refusal =
  | { name: 'ArchiveError'; message: string }
  | { name: 'ArticleError'; message: string; kind: ArticleError['kind'] }
  | { name: 'DiagramFileError'; message: string; field: DiagramFileError['field'] }
  | { name: 'too_complex' }
  /** A defect of a reader. The message of its error may quote the file, so it has none. */
  | { name: 'unexpected'; at: string }

export function toRefusal(error: unknown): Refusal {
  if (error instanceof ArchiveError) return { name: 'ArchiveError', message: error.message }
  if (error instanceof ArticleError) return { name: 'ArticleError', message: error.message, kind: error.kind }
  if (error instanceof DiagramFileError)
    return { name: 'DiagramFileError', message: error.message, field: error.field }
  if (error instanceof Problem) return { name: 'too_complex' }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return {
    name: 'unexpected',
    at:
      stack
        .match(/\n {4}at .{0,200}/g)
        ?.slice(0, 5)
        .join('') ?? '',
  }
}

export function toError(refusal: Refusal): Error {
  switch (refusal.name) {
    case 'ArchiveError':
      return new ArchiveError(refusal.message)
    case 'ArticleError':
      return new ArticleError(refusal.message, refusal.kind)
    case 'DiagramFileError':
      return new DiagramFileError(refusal.message, refusal.field)
    case 'too_complex':
      return tooComplex()
    case 'unexpected':
      return new Error(`A reader of files failed${refusal.at}`)
  }
}
