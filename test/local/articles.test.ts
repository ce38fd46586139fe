import { describe, expect, it } from 'vitest'
import { createClock } from '#local/clock.ts'
import { buildArticles } from '#local/vendors/articles/data.ts'
import { createHuduRoutes } from '#local/vendors/articles/hudu.ts'
import { createItGlueRoutes } from '#local/vendors/articles/it-glue.ts'

const headers = { 'x-api-key': 'demo' }

describe('the local Hudu', () => {
  it('refuses a wrong key, has 25 articles a page and an empty page behind the last one', async () => {
    const hudu = createHuduRoutes(buildArticles(), createClock())
    expect((await hudu.request('/api/v1/articles')).status).toBe(401)
    const read = async (page: string) => {
      const answer = (await (await hudu.request(`/api/v1/articles?page=${page}`, { headers })).json()) as {
        articles: unknown[]
      }
      return answer.articles.length
    }
    expect([await read('1'), await read('3'), await read('4')]).toEqual([25, 10, 0])
    expect((await hudu.request('/api/v1/articles?page=0', { headers })).status).toBe(422)
    expect((await hudu.request('/api/v1/articles/999', { headers })).status).toBe(404)
  })

  it('refuses the 301st call of a minute with the time to wait', async () => {
    const clock = createClock()
    clock.setOffset(60_000 - (Date.now() % 60_000))
    const hudu = createHuduRoutes(buildArticles(), clock)
    const call = () => hudu.request('/api/v1/folders/1', { headers })
    for (let n = 0; n < 300; n++) await call()
    const refused = await call()
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    clock.setOffset(clock.offsetMs() + 60_000)
    expect((await call()).status).toBe(200)
  })
})

describe('the local IT Glue', () => {
  const glue = createItGlueRoutes(buildArticles(), createClock())
  const list = async (path: string) =>
    (await (await glue.request(path, { headers })).json()) as {
      data: unknown[]
      meta: Record<string, number | null>
    }

  it('refuses a wrong key, and a page of more than 1000 items', async () => {
    expect((await glue.request('/organizations')).status).toBe(403)
    expect((await glue.request('/organizations?page[size]=1001', { headers })).status).toBe(422)
    expect((await list('/organizations?page[size]=2')).meta).toMatchObject({
      'next-page': 2,
      'total-pages': 2,
    })
  })

  it('lists the documents of folders only with the filter', async () => {
    const path = '/organizations/1/relationships/documents'
    const root = await list(path)
    const inFolders = await list(`${path}?filter[document_folder_id][ne]=null`)
    expect([root.data.length, inFolders.data.length]).toEqual([15, 15])
    expect((await glue.request('/organizations/3/relationships/documents', { headers })).status).toBe(404)
  })
})
