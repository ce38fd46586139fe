// @module-tag behaviour
import { afterAll, beforeEach, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleText } from '#rules/knowledge/article.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'
import type { ArticlesPort, ListedArticle } from '#vendors/articles/articles.ts'
import { openArticles } from '#vendors/articles/open.ts'

// What users of other clients of IT Glue reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const at = (answers: Answers) => {
  vendor.answer = answerBy(answers)
  const connection = { vendor: 'it_glue', baseUrl: vendor.origin, apiKey: 'key-12345' } as const
  return openArticles(connection, { findRefusal: async () => null })
}
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: unknown) => error,
  )
const organizations = {
  'GET /organizations': {
    body: {
      data: [
        { id: '1', attributes: { name: 'A' } },
        { id: '2', attributes: { name: 'A' } },
      ],
    },
  },
}
const documents = (id: number, name = 'VPN') => ({ body: { data: [{ id, attributes: { name } }] } })
async function listAll(port: ArticlesPort) {
  const articles: ListedArticle[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = await port.listPage(next)
    articles.push(...page.articles)
    next = page.next
  }
  return articles
}
const section = (type: string, attributes: object) => ({
  id: 1,
  attributes: { 'resource-type': type, ...attributes },
})
const read = async (sections: object[]) => {
  const content = await at({ 'GET /documents/1/relationships/sections': { body: { data: sections } } }).read(
    '1',
  )
  return runWithin(createBudget(), () => readArticleText('html', 'T', content))
}

const cases: Record<string, () => Promise<void>> = {
  async 'itglue/powershellwrapper#48 says that the key may belong to another region'() {
    const port = at({ 'GET /organizations': { status: 403 } })
    expect(await refusal(port.listPage(''))).toMatchObject({
      result: { gone: true },
      message: expect.stringMatching(/region/),
    })
  },
  async 'lwhitelock/ITGlue-Hudu-Migration#2 does not take a refusal for an empty list'() {
    const port = at({ 'GET /organizations': { status: 403, body: { message: 'Forbidden' } } })
    expect(await refusal(port.listPage(''))).toMatchObject({ message: expect.stringContaining('Forbidden') })
  },
  async 'outline/outline#9285 imports the others when one document is refused'() {
    const port = at({
      'GET /documents/1/relationships/sections': { status: 403, body: { message: 'Forbidden' } },
    })
    expect(await refusal(port.read('1'))).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/^(?!.*refused the API key).*Forbidden/),
    })
  },
  async 'DigitalSlideArchive/DSA-WSI-DeID#77 goes on with the next organization when one is refused'() {
    const port = at({
      ...organizations,
      'GET /organizations/1/relationships/documents': { status: 403, body: { message: 'Forbidden' } },
      'GET /organizations/2/relationships/documents': documents(7),
    })
    expect((await listAll(port)).map(({ id }) => id)).toContain('7')
  },
  async 'itglue/powershellwrapper#69 takes a document once when a filter is ignored'() {
    const port = at({ ...organizations, 'GET /organizations/*/relationships/documents': documents(7) })
    expect(new Set((await listAll(port)).map(({ id }) => id))).toEqual(new Set(['7']))
  },
  async 'itglue/powershellwrapper#55 passes on which parameters are refused'() {
    const body = {
      errors: [
        {
          status: 'unprocessable_entity',
          title: 'Duplicate Parameters Specified',
          source: { pointer: 'data' },
        },
      ],
    }
    expect(await refusal(at({ 'GET /organizations': { status: 422, body } }).listPage(''))).toMatchObject({
      message: expect.stringContaining('Duplicate Parameters Specified'),
    })
  },
  async 'itglue/powershellwrapper#86 reads each page of the documents'() {
    const port = at({
      'GET /organizations': { body: { data: [{ id: '1' }] } },
      'GET /organizations/1/relationships/documents': ({ path }) =>
        path.includes('number%5D=1')
          ? { body: { ...documents(7).body, meta: { 'next-page': '2' } } }
          : documents(8),
    })
    expect(new Set((await listAll(port)).map(({ id }) => id))).toEqual(new Set(['7', '8']))
  },
  async 'itglue/powershellwrapper#116 goes on when an organization has no documents in the API'() {
    const port = at({ ...organizations, 'GET /organizations/2/relationships/documents': documents(7) })
    expect((await listAll(port)).map(({ id }) => id)).toContain('7')
  },
  async 'itglue/powershellwrapper#103 keeps letters with accents'() {
    const { blocks } = await read([
      section('Document::Text', { content: '<p>Gr\u00fc\u00dfe &uuml;ber a\u0308</p>' }),
    ])
    expect(JSON.stringify(blocks).normalize()).toContain('Gr\u00fc\u00dfe \u00fcber \u00e4')
  },
  async 'itglue/powershellwrapper#120 lists the documents of folders'() {
    const port = at({
      'GET /organizations': { body: { data: [{ id: '1' }] } },
      'GET /organizations/1/relationships/documents': ({ path }) =>
        path.includes('document_folder_id') ? documents(9) : documents(7),
    })
    expect((await listAll(port)).map(({ id }) => id)).toEqual(['7', '9'])
  },
  async 'itglue/powershellwrapper#165 reads sections, whatever the style of their keys'() {
    const { blocks } = await read([
      { id: 1, attributes: { resource_type: 'Document::Heading', content: 'First', level: '2', sort: '1' } },
      { id: 2, attributes: { resource_type: 'Document::Step', content: 'Press start', sort: '2' } },
    ])
    expect(blocks).toMatchObject([{ kind: 'heading', text: 'First' }, { kind: 'item' }])
  },
  async 'itglue/automation#38 passes on what must exist'() {
    const body = {
      errors: [
        { source: { pointer: '/data' }, detail: 'must exist', title: 'Unprocessable Entity', status: 422 },
      ],
    }
    expect(await refusal(at({ 'GET /organizations': { status: 422, body } }).listPage(''))).toMatchObject({
      message: expect.stringContaining('must exist'),
    })
  },
  async 'lwhitelock/ITGlue-Hudu-Migration#54 names the pictures of a gallery'() {
    const { warnings } = await read([
      section('Document::Text', { content: '<p>Press start.</p>' }),
      section('Document::Gallery', { content: null }),
    ])
    expect(warnings.join()).toMatch(/picture|image/i)
  },
  async 'nkdAgility/azure-devops-migration-tools#1068 names the pictures within a text'() {
    const { warnings } = await read([
      section('Document::Text', {
        content: '<p>Press <img src="https://it-glue.example/1/images/2"> start.</p>',
      }),
    ])
    expect(warnings.join()).toMatch(/picture|image/i)
  },
  async 'lwhitelock/ITGlue-Hudu-Migration#34 keeps organizations of the same name apart'() {
    const port = at({
      ...organizations,
      'GET /organizations/1/relationships/documents': documents(7),
      'GET /organizations/2/relationships/documents': documents(8),
    })
    expect(new Set((await listAll(port)).map(({ id }) => id))).toEqual(new Set(['7', '8']))
  },
  async 'lwhitelock/ITGlue-Hudu-Migration#22 waits when the vendor limits without a time'() {
    expect(await refusal(at({ 'GET /organizations': { status: 429 } }).listPage(''))).toMatchObject({
      result: { isPostponed: true, retryAfterSeconds: 60 },
    })
  },
}

it.each(Object.entries(cases))('%s', async (_, check) => check())
