import * as z from 'zod'
import { latestVersionFirst, type Page, type PageQuery, toPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import { type ProblemKind, throwNotFound } from '#problem.ts'
import type { Feature } from '#rules/features.ts'
import { createSlug } from '#rules/text/words.ts'
import type { Content as ComparedContent } from '#rules/versions/compare.ts'
import { Comparison, ComparisonQuery } from '#rules/versions/schema.ts'
import { Id, Time } from './fields.ts'
import { type AnyOperation, Content, operation, type ReadContext, type WriteContext } from './operation.ts'

/** The number of a version in a path. */
export const VersionNumber = z.coerce
  .number()
  .int()
  .min(1)
  .max(2_147_483_647)
  .describe('Version number, starting at 1.')

/** The fields of a version in a list. */
export const versionFields = {
  version: z.int().describe('Version number, starting at 1.'),
  name: z.string().describe('The name in this version.'),
  saved_by: Id.nullable().describe('The user who saved this version; null if it was not recorded.'),
  saved_by_name: z.string().nullable().describe('The name of that user.'),
  restored_from: z
    .int()
    .nullable()
    .describe('The older version that was restored as this one; null for any other save.'),
  is_current: z.boolean().describe('Whether this is the current version.'),
  created_at: Time.describe('When it was saved.'),
}

/** A resource of which every saved version can be read, compared and restored. */
interface VersionedResource {
  /** The group of the operations, such as `scripts.versions`. */
  group: `${string}.versions`
  /** With its article, as in "Get a version of a flow". */
  name: string
  /** The path of the resource, and the schema of its one parameter. */
  path: `/${string}`
  params: z.ZodObject
  feature?: Feature
  listDescription: string
  restoreDescription: string
  restoreErrors: readonly ProblemKind[]
  schemas: { item: z.ZodObject; version: z.ZodObject; resource: z.ZodObject }
  service: VersionReaders<unknown> & {
    restore(ctx: WriteContext, id: string, version: number): Promise<unknown>
  }
}

/** Declare the operations that list, read, compare and restore the versions of a resource. */
export function declareVersions({
  group,
  name,
  path,
  params,
  feature,
  schemas,
  service,
  ...texts
}: VersionedResource): AnyOperation[] {
  const [idName = ''] = Object.keys(params.shape)
  const locate = (values: Record<string, unknown>) =>
    [String(values[idName]), Number(values.version)] as const
  const VersionParams = params.extend({ version: VersionNumber })
  const featureOption = feature && { feature }
  const read = { ...featureOption, access: 'user', limit: 'read' } as const
  return [
    operation({
      ...read,
      id: `${group}.list`,
      route: `GET ${path}/versions`,
      summary: `List the versions of ${name}`,
      description: texts.listDescription,
      params,
      paged: true,
      returns: z.array(schemas.item),
      handle: ({ ctx, params: values, query }) =>
        service.list(ctx, locate(values)[0], query) as Promise<Page<Record<string, unknown>>>,
    }),
    operation({
      ...read,
      id: `${group}.get`,
      route: `GET ${path}/versions/{version}`,
      summary: `Get a version of ${name}`,
      description: 'As it was saved then, with who saved it and when.',
      params: VersionParams,
      returns: schemas.version,
      handle: ({ ctx, params: values }) =>
        service.get(ctx, ...locate(values)) as Promise<Record<string, unknown>>,
    }),
    operation({
      ...read,
      id: `${group}.compare`,
      route: `GET ${path}/versions/{version}/diff`,
      summary: `Compare two versions of ${name}`,
      description: 'What was added, removed and changed, place by place.',
      params: VersionParams,
      query: ComparisonQuery,
      returns: Comparison,
      produces: ['application/json', 'text/html'],
      handle: ({ ctx, params: values, query }) => service.compare(ctx, ...locate(values), query),
    }),
    operation({
      ...featureOption,
      access: 'engineer',
      limit: 'write',
      id: `${group}.restore`,
      route: `POST ${path}/versions/{version}/restore`,
      success: 200,
      summary: 'Restore an old version',
      description: texts.restoreDescription,
      params: VersionParams,
      returns: schemas.resource,
      errors: texts.restoreErrors,
      handle: ({ ctx, params: values }) =>
        service.restore(ctx, ...locate(values)) as Promise<Record<string, unknown>>,
    }),
  ]
}

interface VersionSource<V extends { name: string }> {
  /** Read a page of the versions, newest first, and one row more if there are more. */
  selectItems(db: ReadDb, id: string, page: PageQuery): Promise<{ version: number }[]>
  selectVersion(db: ReadDb, id: string, version: number): Promise<V | undefined>
  /** Throw unless the caller sees the resource. */
  requireResource(db: ReadDb, id: string): Promise<unknown>
  toContent(version: NoInfer<V>): ComparedContent
}

export interface VersionReaders<V> {
  list(ctx: Pick<ReadContext, 'db'>, id: string, page: PageQuery): Promise<Page<object>>
  get(ctx: Pick<ReadContext, 'db'>, id: string, version: number): Promise<V>
  compare(
    ctx: Pick<ReadContext, 'db'>,
    id: string,
    version: number,
    query: ComparisonQuery,
  ): Promise<Comparison | Content>
}

/** Create what reads the versions of a resource. A row that the caller does not see is a 404. */
export function createVersionReaders<V extends { name: string }>(
  source: VersionSource<V>,
): VersionReaders<V> {
  const get: VersionReaders<V>['get'] = async ({ db }, id, version) =>
    (await source.selectVersion(db, id, version)) ?? throwNotFound('Version')
  return {
    get,
    async list({ db }, id, page) {
      const items = await source.selectItems(db, id, page)
      if (items.length === 0) await source.requireResource(db, id)
      return toPage(items, page, latestVersionFirst)
    },
    compare: (ctx, id, version, query) =>
      answerComparison(version, query, async (number) => {
        const content = await get(ctx, id, number)
        return { name: content.name, content: source.toContent(content) }
      }),
  }
}

const emptyContent: ComparedContent = { fields: {}, items: [], isOrdered: true }

/**
 * Compare a version with `base`, by default the version before. `read` returns the content of a version, and
 * throws if there is none. Return the comparison, or a page that shows it.
 */
async function answerComparison(
  version: number,
  { base = version - 1, format }: ComparisonQuery,
  read: (version: number) => Promise<{ name: string; content: ComparedContent }>,
): Promise<Comparison | Content> {
  const newer = await read(version)
  const older = base === 0 ? emptyContent : (await read(base)).content
  // Loaded on first use, because few requests compare.
  const [{ compareVersions }, { renderComparison }] = await Promise.all([
    import('#rules/versions/compare.ts'),
    import('#rules/versions/html.ts'),
  ])
  const comparison = { base, version, ...compareVersions(older, newer.content) }
  switch (format) {
    case 'json':
      return comparison
    case 'html':
      return new Content(
        renderComparison(newer.name, comparison),
        'text/html; charset=utf-8',
        `${createSlug(newer.name, 'version')}-changes.html`,
      )
  }
}
