import * as z from 'zod'
import {
  envelope,
  flag,
  id,
  leaveOut,
  object,
  optionalId,
  part,
  rawText,
  readItems,
  requiredList,
  text,
} from '#vendors/net/wire.ts'
import { ArticlesError, type ArticlesPort } from './articles.ts'
import type { GetJson } from './http.ts'

const ListedArticle = z.object({
  id,
  name: text,
  draft: flag,
  archived: flag,
  company_id: optionalId,
  folder_id: optionalId,
})
const ListAnswer = envelope('articles', { articles: requiredList })
const ArticleAnswer = envelope('article', { article: object({ content: rawText }) })
const Named = part(z.object({ name: text }))
const CompanyAnswer = envelope('company', { company: Named })
const FolderAnswer = envelope('folder', { folder: Named })

/**
 * Read articles of Hudu. A position is a number of a page; the first page without articles is behind the last
 * one.
 */
export function createHudu(get: GetJson): ArticlesPort {
  const names = new Map<string, Promise<string>>()
  const getName = (path: string, load: (path: string) => Promise<string>) => {
    const known = names.get(path) ?? load(path).catch(forgiveFailure)
    names.set(path, known)
    return known
  }
  const getOwner = ({ company_id, folder_id }: z.output<typeof ListedArticle>) => {
    if (company_id)
      return getName(
        `/api/v1/companies/${company_id}`,
        async (path) => (await get(path, CompanyAnswer)).company?.name ?? '',
      )
    return folder_id
      ? getName(
          `/api/v1/folders/${folder_id}`,
          async (path) => (await get(path, FolderAnswer)).folder?.name ?? '',
        )
      : ''
  }
  return {
    async listPage(position) {
      const page = Number(position || 1)
      const { articles } = await get(`/api/v1/articles?page=${page}`, ListAnswer)
      const listedArticles = []
      for (const article of readItems('articles', ListedArticle, articles)) {
        if (article.draft || article.archived) continue
        const owner = await getOwner(article)
        listedArticles.push({
          id: article.id,
          name: [owner, article.name].filter(Boolean).join(' / '),
        })
      }
      return { articles: listedArticles, next: articles.length > 0 ? String(page + 1) : null }
    },
    async read(id) {
      return (await get(`/api/v1/articles/${id}`, ArticleAnswer)).article.content ?? ''
    },
  }
}

/**
 * An article is imported without the name of a company or folder that was deleted, is refused, or cannot be
 * shown. Throw what is about the vendor or the key.
 */
function forgiveFailure(error: unknown): string {
  const isOfRecord =
    error instanceof ArticlesError &&
    (error.kind === 'missing' || error.kind === 'refused' || error.result.status === 500)
  if (!isOfRecord) throw error
  if (error.kind !== 'missing') leaveOut('articles', 'name of a company or folder')
  return ''
}
