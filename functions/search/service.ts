import { includesScope, readGrantedScopes } from '#http/granted-scopes.ts'
import type { ReadContext } from '#http/operation.ts'
import { markWords } from '#rules/text/mark-words.ts'
import { selectResults } from './queries.ts'
import { type SearchQuery, type SearchResult, type SearchType, searchTypes } from './schemas.ts'

/** The subject whose scope a program needs to find a type. */
const subjectByType: Readonly<Record<SearchType, string>> = {
  flow: 'flows',
  step: 'flows',
  library_step: 'flows',
  script: 'scripts',
  session: 'sessions',
  ai_session: 'ai',
  article: 'authoring',
  diagram: 'diagrams',
}

export async function find(
  ctx: Pick<ReadContext, 'db' | 'caller'>,
  { q, types = [...searchTypes], limit }: SearchQuery,
) {
  const granted = await readGrantedScopes(ctx)
  const readable = types.filter((type) => !granted || includesScope(granted, `${subjectByType[type]}:read`))
  if (readable.length === 0) return { results: [] }
  const rows = await selectResults.all(ctx.db, q, readable, limit)
  const results = rows.map(({ title, snippet, marks, ...row }): SearchResult => {
    const mark = (text: string) => ({ text, marks: markWords(text, marks) })
    return { ...row, title: mark(title), snippet: mark(snippet) }
  })
  return { results }
}
