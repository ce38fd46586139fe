import { Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { LocalArticle, LocalArticles } from './data.ts'
import { limitCalls } from './limit-calls.ts'

const pageSize = 25

/**
 * Create the part of Hudu that the service uses: the key in `x-api-key`, 25 articles a page, an empty page
 * behind the last one, and 300 calls a minute. Each customer's site documents its own API at `/developer`;
 * lib/vendors/articles/README.md says what could be confirmed.
 */
export function createHuduRoutes({ companies, folders, articles }: LocalArticles, clock: Clock): Hono {
  const app = new Hono().basePath('/api/v1')
  app.use('*', limitCalls(clock, 300, 60), async (c, next) => {
    if (c.req.header('x-api-key') !== 'demo') return c.json({ error: 'Invalid API key' }, 401)
    return next()
  })
  app.get('/articles', (c) => {
    const page = Number(c.req.query('page') ?? 1)
    if (!Number.isInteger(page) || page < 1) return c.json({ error: 'page is invalid' }, 422)
    return c.json({ articles: articles.slice((page - 1) * pageSize, page * pageSize).map(toArticle) })
  })
  app.get('/articles/:id', (c) => {
    const article = articles.find(({ id }) => id === Number(c.req.param('id')))
    return article ? c.json({ article: toArticle(article) }) : c.json({ error: 'Not found' }, 404)
  })
  app.get('/companies/:id', (c) => {
    const company = companies.find(({ id }) => id === Number(c.req.param('id')))
    return company ? c.json({ company }) : c.json({ error: 'Not found' }, 404)
  })
  app.get('/folders/:id', (c) => {
    const folder = folders.find(({ id }) => id === Number(c.req.param('id')))
    return folder ? c.json({ folder }) : c.json({ error: 'Not found' }, 404)
  })
  return app
}

function toArticle({ id, name, content, companyId, folderId, draft, archived }: LocalArticle) {
  return {
    id,
    name,
    content,
    draft,
    archived,
    company_id: companyId,
    folder_id: folderId,
    object_type: 'Article',
  }
}
