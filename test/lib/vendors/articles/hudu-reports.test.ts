// @module-tag behaviour
import { afterAll, beforeEach, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleText } from '#rules/knowledge/article.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'
import { openArticles } from '#vendors/articles/open.ts'

// What users of other clients of Hudu reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const at = (answers: Answers) => {
  vendor.answer = answerBy(
    Object.fromEntries(
      Object.entries(answers).map(([key, answer]) => [key.replace(' ', ' /api/v1'), answer]),
    ),
  )
  const connection = { vendor: 'hudu', baseUrl: vendor.origin, apiKey: 'key-12345' } as const
  return openArticles(connection, { findRefusal: async () => null })
}
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: unknown) => error,
  )
const one = (article: object) => ({ 'GET /articles': { body: { articles: [article] } } })
const readHtml = (content: string) => runWithin(createBudget(), () => readArticleText('html', 'T', content))

const cases: Record<string, () => Promise<void>> = {
  async 'lwhitelock/HuduAPI#42 reads a company with and without its key'() {
    for (const body of [{ company: { id: 4, name: 'Contoso' } }, { id: 4, name: 'Contoso' }]) {
      const port = at({ ...one({ id: 1, name: 'VPN', company_id: 4 }), 'GET /companies/4': { body } })
      expect((await port.listPage('')).articles).toEqual([{ id: '1', name: 'Contoso / VPN' }])
    }
  },
  async 'lwhitelock/HuduAPI#13 reads an article with and without its key'() {
    for (const body of [{ article: { id: 1, content: '<p>a</p>' } }, { id: 1, content: '<p>a</p>' }])
      expect(await at({ 'GET /articles/1': { body } }).read('1')).toBe('<p>a</p>')
  },
  async 'Servosity/msp-skills#158 says which parameter is refused'() {
    const body = { error: 'page is not a valid filter parameter.' }
    expect(await refusal(at({ 'GET /articles': { status: 400, body } }).listPage(''))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('page is not a valid filter parameter'),
    })
  },
  async 'Servosity/msp-skills#159 lists an article whose folder the server cannot show'() {
    const port = at({
      'GET /articles': {
        body: {
          articles: [
            { id: 1, name: 'VPN', folder_id: 3 },
            { id: 2, name: 'Printer' },
          ],
        },
      },
      'GET /folders/3': { status: 500, body: { status: 500, error: 'Internal Server Error' } },
    })
    expect((await port.listPage('')).articles.map(({ id }) => id)).toEqual(['1', '2'])
  },
  async 'agit8or1/clientst0r#80 says why an article failed'() {
    const body = { error: 'Article is restricted to its group' }
    expect(await refusal(at({ 'GET /articles/1': { status: 422, body } }).read('1'))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('restricted to its group'),
    })
  },
  async 'agit8or1/clientst0r#44 says that the key may not list articles'() {
    const body = { error: 'API key does not have access to this resource' }
    expect(await refusal(at({ 'GET /articles': { status: 403, body } }).listPage(''))).toMatchObject({
      result: { gone: true },
      message: expect.stringContaining('does not have access'),
    })
  },
  async 'KelvinTegelaar/CIPP#4799 comes back to a site that is overloaded'() {
    const body = '<html><h1>502 Bad Gateway</h1></html>'
    const error = await refusal(at({ 'GET /articles': { status: 502, body } }).listPage(''))
    expect(error).toMatchObject({ kind: 'other', result: { gone: false } })
  },
  async 'KelvinTegelaar/CIPP-API#952 asks for a company once'() {
    const articles = Array.from({ length: 25 }, (_, n) => ({ id: n, name: `A${n}`, company_id: 4 }))
    const port = at({
      'GET /articles': { body: { articles } },
      'GET /companies/4': { body: { company: { name: 'C' } } },
    })
    await port.listPage('')
    expect(vendor.requests).toHaveLength(2)
  },
  async 'lwhitelock/HuduAPI#23 names the pictures that are lost'() {
    const { warnings } = await readHtml('<p>Press start.</p><img src="/public_photo/12" alt="start">')
    expect(warnings.join()).toMatch(/picture|image/i)
  },
  async 'lwhitelock/HuduAPI#97 leaves out what is archived, whatever the type of the flag'() {
    const articles = [
      { id: 1, archived: 'true' },
      { id: 2, archived: null, draft: 1 },
      { id: 3, archived: 0 },
    ]
    const { articles: listed } = await at({ 'GET /articles': { body: { articles } } }).listPage('')
    expect(listed.map(({ id }) => id)).toEqual(['3'])
  },
  async 'lwhitelock/ITGlue-Hudu-Migration#8 keeps the text of a link that is broken'() {
    const { blocks } = await readHtml(
      '<p>See <a href="https://docs.hudu.comhttp://docs.hudu.com/kba/1">the guide</a>.</p>',
    )
    expect(JSON.stringify(blocks)).toContain('the guide')
  },
  async 'KelvinTegelaar/CIPP#3639 keeps articles of the same name apart'() {
    const articles = [
      { id: 1, name: 'VPN' },
      { id: 2, name: 'VPN' },
    ]
    expect((await at({ 'GET /articles': { body: { articles } } }).listPage('')).articles).toHaveLength(2)
  },
  async 'KelvinTegelaar/CIPP#6112 goes on behind a page of drafts'() {
    expect(await at(one({ id: 1, draft: true })).listPage('')).toEqual({ articles: [], next: '2' })
  },
}

it.each(Object.entries(cases))('%s', async (_, check) => check())
