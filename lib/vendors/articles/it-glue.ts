import * as z from 'zod'
import { ArticlesError, type ArticlesPort } from './articles.ts'
import type { GetJson } from './http.ts'

const Id = z.string().regex(/^\d{1,20}$/)
const Meta = z.object({ 'next-page': z.int().nullish() }).nullish()
const OrganizationsAnswer = z.object({
  data: z.array(z.object({ id: Id, attributes: z.object({ name: z.string().nullish() }) })),
})
const DocumentsAnswer = z.object({
  data: z.array(
    z.object({
      id: Id,
      attributes: z.object({
        name: z.string().nullish(),
        published: z.boolean().nullish(),
        archived: z.boolean().nullish(),
      }),
    }),
  ),
  meta: Meta,
})
const Section = z.object({
  attributes: z.object({
    'resource-type': z.string().nullish(),
    content: z.string().nullish(),
    level: z.int().min(1).max(6).nullish().catch(null),
    sort: z.number().nullish(),
  }),
})
const SectionsAnswer = z.object({ data: z.array(Section), meta: Meta })
const DocumentAnswer = z.object({
  data: z.object({ attributes: z.object({ content: z.string().nullish() }) }),
})
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
  const pages = new Map<number, Promise<z.output<typeof OrganizationsAnswer>>>()
  const listOrganizations = (page: number) => {
    const organizationsPage =
      pages.get(page) ??
      get(`/organizations?sort=id&${toPage(page, organizationsPerPage)}`, OrganizationsAnswer)
    pages.set(page, organizationsPage)
    return organizationsPage
  }
  return {
    async listPage(position) {
      const [place = 0, pass = 0, page = 1] = position.split(':').filter(Boolean).map(Number)
      const { data: organizations } = await listOrganizations(Math.floor(place / organizationsPerPage) + 1)
      const organization = organizations[place % organizationsPerPage]
      if (!organization) return { articles: [], next: null }
      const path = `/organizations/${organization.id}/relationships/documents?${toPage(page, documentsPerPage)}${filters[pass] ?? ''}`
      const { data, meta } = await get(path, DocumentsAnswer).catch(toNoDocuments)
      const isPublished = ({ attributes }: (typeof data)[number]) =>
        attributes.published !== false && !attributes.archived
      const articles = data.filter(isPublished).map(({ id, attributes }) => ({
        id,
        name: [organization.attributes.name, attributes.name].filter(Boolean).join(' / '),
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
          SectionsAnswer,
        )
        sections.push(...data)
        if (data.length === 0 || !meta?.['next-page']) break
      }
      if (sections.length > 0) return writeSections(sections)
      return (await get(`/documents/${id}`, DocumentAnswer)).data.attributes.content ?? ''
    },
  }
}

const toPage = (number: number, size: number) => `page%5Bsize%5D=${size}&page%5Bnumber%5D=${number}`

/** An organization without the module for documents answers 404. */
function toNoDocuments(error: unknown): z.output<typeof DocumentsAnswer> {
  if (error instanceof ArticlesError && error.kind === 'missing') return { data: [], meta: null }
  throw error
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
    const { 'resource-type': type, content, level } = attributes
    if (!content) continue
    const isStep = type === 'Document::Step'
    if (isStep !== isInList) parts.push(isStep ? '<ol>' : '</ol>')
    isInList = isStep
    const tag = isStep
      ? 'li'
      : type === 'Document::Heading' && !/<h[1-6]/i.test(content)
        ? `h${level ?? 2}`
        : 'div'
    parts.push(`<${tag}>${content}</${tag}>`)
  }
  return [...parts, isInList ? '</ol>' : ''].join('\n')
}
