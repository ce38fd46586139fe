import * as z from 'zod'
import { addSentence } from '#vendors/net/refusal.ts'
import {
  flag,
  id,
  leaveOut,
  object,
  optionalFlag,
  optionalNumber,
  part,
  rawText,
  readItems,
  requiredList,
  text,
} from '#vendors/net/wire.ts'
import { ArticlesError, type ArticlesPort } from './articles.ts'
import type { GetJson } from './http.ts'

const ListAnswer = z.object({ data: requiredList, meta: part(z.object({ 'next-page': optionalNumber })) })
const Organization = z.object({ id, attributes: part(z.object({ name: text })) })
const ListedDocument = z.object({
  id,
  attributes: part(z.object({ name: text, published: optionalFlag, archived: flag })),
})
// Other versions write `resource_type`.
const Section = z
  .object({
    attributes: object({
      'resource-type': text,
      resource_type: text,
      content: rawText,
      level: optionalNumber,
      sort: optionalNumber,
    }),
  })
  .transform(({ attributes: { resource_type, ...attributes } }) => ({
    attributes: { ...attributes, type: attributes['resource-type'] ?? resource_type },
  }))
const DocumentAnswer = z.object({ data: object({ attributes: object({ content: rawText }) }) })
type Section = z.output<typeof Section>

const organizationsPerPage = 50
const documentsPerPage = 100
const maxSectionPages = 10
// Without a filter the vendor lists the documents of the root alone, and with this one those of the folders
// alone.
const filters = ['', '&filter%5Bdocument_folder_id%5D%5Bne%5D=null'] as const

/**
 * Read documents of IT Glue, organization by organization: in each those of the root, then those of its
 * folders.
 */
export function createItGlue(get: GetJson): ArticlesPort {
  const pages = new Map<number, Promise<z.output<typeof ListAnswer>>>()
  const listOrganizations = (page: number) => {
    const organizationsPage =
      pages.get(page) ??
      get(`/organizations?sort=id&${toPage(page, organizationsPerPage)}`, ListAnswer).catch(throwRefusedKey)
    pages.set(page, organizationsPage)
    return organizationsPage
  }
  return {
    async listPage(position) {
      const [place = 0, pass = 0, page = 1] = position.split(':').filter(Boolean).map(Number)
      const { data: organizations } = await listOrganizations(Math.floor(place / organizationsPerPage) + 1)
      if (place % organizationsPerPage >= organizations.length) return { articles: [], next: null }
      const [organization] = readItems('articles', Organization, [
        organizations[place % organizationsPerPage],
      ])
      if (!organization) return { articles: [], next: [place + 1, 0, 1].join(':') }
      const path = `/organizations/${organization.id}/relationships/documents?${toPage(page, documentsPerPage)}${filters[pass] ?? ''}`
      const { data, meta } = await get(path, ListAnswer).catch(toNoDocuments)
      const articles = readItems('articles', ListedDocument, data)
        .filter(({ attributes }) => attributes?.published !== false && !attributes?.archived)
        .map(({ id, attributes }) => ({
          id,
          name: [organization.attributes?.name, attributes?.name].filter(Boolean).join(' / '),
        }))
      const hasMore = data.length > 0 && meta?.['next-page']
      const nextPass = pass === 0 ? [place, 1, 1] : [place + 1, 0, 1]
      const next = hasMore ? [place, pass, page + 1] : nextPass
      return { articles, next: next.join(':') }
    },
    async read(id) {
      const sections: Section[] = []
      for (let page = 1; page <= maxSectionPages; page++) {
        const { data, meta } = await get(
          `/documents/${id}/relationships/sections?${toPage(page, documentsPerPage)}`,
          ListAnswer,
        )
        sections.push(...readItems('articles', Section, data))
        if (data.length === 0 || !meta?.['next-page']) break
        if (page === maxSectionPages) leaveOut('articles', 'length')
      }
      if (sections.length > 0) return writeSections(sections)
      return (await get(`/documents/${id}`, DocumentAnswer)).data.attributes.content ?? ''
    },
  }
}

const toPage = (number: number, size: number) => `page%5Bsize%5D=${size}&page%5Bnumber%5D=${number}`

/**
 * IT Glue refuses a key with 403 (https://api.itglue.com/developer), and also one of another region. So it does
 * with a single record, but the organizations are the first that is asked for.
 */
function throwRefusedKey(error: unknown): never {
  if (!(error instanceof ArticlesError) || error.result.status !== 403) throw error
  const reason = error.message.split(/:(.*)/s)[1]?.trim() ?? null
  const message = 'The key is of another region than the address, or IT Glue refused the API key'
  throw new ArticlesError('other', { ...error.result, error: addSentence(message, reason) })
}

/**
 * An organization without the module for documents answers 404, one that the key may not see 403, and one that
 * cannot be shown 500.
 */
function toNoDocuments(error: unknown): z.output<typeof ListAnswer> {
  if (!(error instanceof ArticlesError) || ![403, 404, 500].includes(error.result.status ?? 0)) throw error
  if (error.kind !== 'missing') leaveOut('articles', 'documents of an organization')
  return { data: [], meta: null }
}

/**
 * Write sections as HTML, in their order. Steps that follow each other are one list. A gallery has only
 * pictures.
 */
function writeSections(sections: readonly Section[]): string {
  let isInList = false
  const parts: string[] = []
  for (const { attributes } of sections.toSorted(
    (a, b) => (a.attributes.sort ?? 0) - (b.attributes.sort ?? 0),
  )) {
    const { type, content, level } = attributes
    // The reader names a picture that it does not import, where it was.
    if (!content && type === 'Document::Gallery') parts.push('<p><img alt="pictures of a gallery"></p>')
    if (!content) continue
    const isStep = type === 'Document::Step'
    if (isStep !== isInList) parts.push(isStep ? '<ol>' : '</ol>')
    isInList = isStep
    const tag = isStep
      ? 'li'
      : type === 'Document::Heading' && !/<h[1-6]/i.test(content)
        ? `h${level !== null && [1, 2, 3, 4, 5, 6].includes(level) ? level : 2}`
        : 'div'
    parts.push(`<${tag}>${content}</${tag}>`)
  }
  return [...parts, isInList ? '</ol>' : ''].join('\n')
}
