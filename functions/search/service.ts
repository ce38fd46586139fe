import type { ReadContext } from '#http/operation.ts'
import { markWords } from '#rules/text/mark-words.ts'
import { selectResults } from './queries.ts'
import { type SearchQuery, type SearchResult, searchTypes } from './schemas.ts'

export async function find({ db }: Pick<ReadContext, 'db'>, { q, types = [...searchTypes], limit }: SearchQuery) {
  const rows = await selectResults.all(db, q, types, limit)
  const results = rows.map(({ title, snippet, marks, ...row }): SearchResult => {
    const mark = (text: string) => ({ text, marks: markWords(text, marks) })
    return { ...row, title: mark(title), snippet: mark(snippet) }
  })
  return { results }
}
