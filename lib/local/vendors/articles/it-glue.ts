import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { LocalArticles } from './data.ts'
import { limitCalls } from './limit-calls.ts'

const maxPageSize = 1000

/**
 * Create the part of IT Glue that the service uses. A wrong key is 403, a page has 50 items unless
 * `page[size]` asks for up to 1000, and 3000 calls are allowed in five minutes
 * (https://api.itglue.com/developer). Documents in folders are listed only with a filter.
 */
export function createItGlueRoutes({ companies, articles }: LocalArticles, clock: Clock): Hono {
  const app = new Hono()
  const documents = articles.map((article) => ({ ...article, companyId: article.companyId ?? 1 }))
  app.use('*', limitCalls(clock, 3000, 300), async (c, next) => {
    if (c.req.header('x-api-key') !== 'demo') return sendError(c, 403, 'Forbidden')
    await next()
    c.header('content-type', 'application/vnd.api+json')
    return undefined
  })
  app.get('/organizations', (c) =>
    sendPage(
      c,
      companies.map(({ id, name }) => ({ id: String(id), type: 'organizations', attributes: { name } })),
    ),
  )
  app.get('/organizations/:id/relationships/documents', (c) => {
    const id = Number(c.req.param('id'))
    // The last one does not have the module for documents.
    if (!companies.some((company) => company.id === id) || id === companies.length)
      return sendError(c, 404, 'Record not found')
    const isInFolder = c.req.query('filter[document_folder_id][ne]') === 'null'
    const listed = documents.filter(
      (document) => document.companyId === id && (document.folderId !== null) === isInFolder,
    )
    return sendPage(
      c,
      listed.map((document) => ({
        id: String(document.id),
        type: 'documents',
        attributes: {
          name: document.name,
          'organization-id': id,
          'document-folder-id': document.folderId,
          published: !document.draft,
          archived: document.archived,
        },
      })),
    )
  })
  app.get('/documents/:id/relationships/sections', (c) => {
    const document = documents.find(({ id }) => id === Number(c.req.param('id')))
    if (!document) return sendError(c, 404, 'Record not found')
    // Each third document is one text without sections.
    const isSectioned = document.id % 3 !== 0 && document.content !== ''
    const attributes = [
      { 'resource-type': 'Document::Step', content: 'Restart it.', sort: 3 },
      { 'resource-type': 'Document::Heading', content: 'Fix', level: 2, sort: 1 },
      { 'resource-type': 'Document::Step', content: `Open the console of ${document.id}.`, sort: 2 },
      { 'resource-type': 'Document::Gallery', content: null, sort: 4 },
    ]
    const sections = attributes.map((each, n) => ({
      id: String(document.id * 10 + n),
      type: 'document-sections',
      attributes: each,
    }))
    return sendPage(c, isSectioned ? sections : [])
  })
  app.get('/documents/:id', (c) => {
    const document = documents.find(({ id }) => id === Number(c.req.param('id')))
    if (!document) return sendError(c, 404, 'Record not found')
    const { id, name, content } = document
    return c.json({ data: { id: String(id), type: 'documents', attributes: { name, content } } })
  })
  return app
}

function sendPage(c: Context, items: readonly object[]): Response {
  const number = Number(c.req.query('page[number]') ?? 1)
  const size = Number(c.req.query('page[size]') ?? 50)
  if (![number, size].every((value) => Number.isInteger(value) && value > 0) || size > maxPageSize)
    return sendError(c, 422, 'Invalid page')
  const pages = Math.ceil(items.length / size)
  return c.json({
    data: items.slice((number - 1) * size, number * size),
    meta: {
      'current-page': number,
      'next-page': number < pages ? number + 1 : null,
      'prev-page': number > 1 ? number - 1 : null,
      'total-pages': pages,
      'total-count': items.length,
    },
    links: {},
  })
}

function sendError(c: Context, status: 403 | 404 | 422, title: string): Response {
  return c.json({ errors: [{ title, status: String(status) }] }, status)
}
