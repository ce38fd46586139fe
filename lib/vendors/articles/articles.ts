import type { SendResult } from '#vendors/net/send-result.ts'

/** Documentation tools whose articles can be imported. */
export const articleVendors = ['hudu', 'it_glue'] as const
export type ArticleVendor = (typeof articleVendors)[number]

export const vendorNames: Record<ArticleVendor, string> = { hudu: 'Hudu', it_glue: 'IT Glue' }

export interface ListedArticle {
  id: string
  /** Its name, after that of its company or folder. */
  name: string
}

export interface ArticlePage {
  articles: ListedArticle[]
  /** The position of the next page, null after the last one. */
  next: string | null
}

/** The articles of one account of a documentation tool. Every call may throw an ArticlesError. */
export interface ArticlesPort {
  /** List the published articles from a position; that of the first page is ''. */
  listPage(position: string): Promise<ArticlePage>
  /** Read the HTML of an article. */
  read(id: string): Promise<string>
}

type FailedSend = SendResult & { ok: false }

/**
 * A call failed. `missing`, `refused` and `too_large` are about what was asked for, not about the vendor. `late`: the
 * time of the slice was over before the call. The result's error is a sentence for users.
 */
export class ArticlesError extends Error {
  readonly kind: 'missing' | 'refused' | 'too_large' | 'late' | 'other'
  readonly result: FailedSend

  constructor(kind: ArticlesError['kind'], result: FailedSend) {
    super(result.error)
    this.name = 'ArticlesError'
    this.kind = kind
    this.result = result
  }
}
