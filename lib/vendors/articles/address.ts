import type { ArticleVendor } from './articles.ts'

/**
 * The address of the United States; `api.eu.itglue.com` and `api.au.itglue.com` are the others
 * (https://api.itglue.com/developer).
 */
export const itGlueAddress = 'https://api.itglue.com'

/** Return the base URL of a vendor. That of Hudu is the site, below which its API is at `/api/v1`. */
export function toArticlesAddress(vendor: ArticleVendor, baseUrl: string): string {
  const url = new URL(baseUrl)
  const path = vendor === 'hudu' ? url.pathname.replace(/\/api(?:\/v1)?\/*$/i, '') : url.pathname
  return url.origin + path.replace(/(?<!\/)\/+$/, '')
}
