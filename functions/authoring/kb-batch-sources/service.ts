import * as kbImports from '#functions/authoring/kb-imports/service.ts'
import { describe } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { ArchiveError, cutEntry } from '#rules/archive/zip.ts'
import { createBudget, jobSteps, runWithin, stepsPerSecond } from '#rules/budget.ts'
import { listArticles, toLine } from '#rules/knowledge/article-archive.ts'
import { type Article, ArticleError } from '#rules/knowledge/blocks.ts'
import {
  ArticlesError,
  type ArticlesPort,
  type ArticleVendor,
  type ListedArticle,
} from '#vendors/articles/articles.ts'
import { openArticles } from '#vendors/articles/open.ts'
import { openArticlesKey } from '#vendors/articles/sealed-key.ts'
import { fetchPage } from '#vendors/net/page-fetcher.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { listLosses } from '#vendors/net/wire.ts'

/** The parts of a job's context that reading articles needs, and a clock in milliseconds. */
export type SourceContext = Pick<JobContext, 'uploads' | 'files' | 'guard' | 'vault' | 'log'> & {
  now?: () => number
}

/** A batch whose slice is read. */
interface Batch {
  id: string
  account_id: string
  source: 'zip' | 'url' | ArticleVendor
  address: string | null
  object_key: string | null
  /** Encrypted. */
  api_key: string | null
  list_position: string | null
  done: number
  attempts: number
  max_attempts: number
}
type VendorBatch = Batch & { source: ArticleVendor }
type Failure = SendResult & { ok: false }
/** Select the next articles that a vendor has listed. */
type SelectListed = (limit: number) => Promise<{ name: string; source_id: string }[]>

/** What became of an article, before it is stored. */
export interface Outcome {
  name: string
  article: Article | null
  problem: string | null
}

/**
 * Articles that a vendor has listed, and the position at which the list goes on; null when it is complete.
 */
export interface Listing {
  articles: ListedArticle[]
  next: string | null
  /** What of the list could not be read, as sentences. */
  losses: string[]
}

// A slice ends after this work, or this number of articles.
const sliceSteps = stepsPerSecond / 4
const sliceArticles = 20
/** An archive's slice ends after this time too: steps may be slow, and other requests wait. */
const sliceMs = 2000

// With its redirects, a page takes less than the lease of an attempt.
const pageTimeoutMs = 10_000
export const maxVendorArticles = 500
const maxArticleBytes = 5 * 1024 * 1024
const slicePages = 10
// No account has 3000 pages of articles, so a vendor that never ends its list is given up.
const maxListingAttempts = 300

/** Read the next articles of a batch, or the next part of a vendor's list. Never throw for one article. */
export function readSlice(
  ctx: SourceContext,
  claimed: Batch,
  selectListed: SelectListed,
): Promise<Outcome[] | Listing | Failure> {
  switch (claimed.source) {
    case 'zip':
      return readFiles(ctx, claimed)
    case 'url':
      return readPage(ctx, claimed)
    case 'hudu':
    case 'it_glue':
      return claimed.list_position === null
        ? readListed(ctx, { ...claimed, source: claimed.source }, selectListed)
        : listWithLosses(ctx, { ...claimed, source: claimed.source })
  }
}

async function listWithLosses(ctx: SourceContext, claimed: VendorBatch): Promise<Listing | Failure> {
  const { value, losses } = await listLosses(() => listNext(ctx, claimed))
  return 'ok' in value ? value : { ...value, losses }
}

async function readFiles(
  ctx: SourceContext,
  { account_id, object_key, done }: Batch,
): Promise<Outcome[] | Failure> {
  const bytes = await ctx.uploads.get(object_key ?? '')
  if (!bytes) throw new Error('The archive of a batch is missing')
  const outcomes: Outcome[] = []
  const { now = Date.now } = ctx
  const end = now() + sliceMs
  let steps = 0
  for (const file of listArticles(bytes).slice(done, done + sliceArticles)) {
    if (steps >= sliceSteps || (outcomes.length > 0 && now() >= end)) break
    // Other requests of the process run between two articles.
    if (outcomes.length > 0) await new Promise((resolve) => setTimeout(resolve, 0))
    const result = await readOne(ctx.log, file.name, async () =>
      ctx.files.read(
        'archived_article',
        { packed: cutEntry(bytes, file.entry), name: toFileName(file.name) },
        account_id,
        undefined,
      ),
    )
    if ('ok' in result) return outcomes.length > 0 ? outcomes : busy
    outcomes.push(result.outcome)
    steps += result.steps
  }
  return outcomes
}

async function readPage(ctx: SourceContext, { account_id, address }: Batch): Promise<Outcome[] | Failure> {
  const url = address ?? ''
  const page = await fetchPage(ctx.guard, url, { timeoutMs: pageTimeoutMs, maxBytes: kbImports.maxBytes })
  if ('ok' in page) return page
  const { bytes, type } = page
  const result = await readOne(ctx.log, url, () =>
    ctx.files.read('article_file', { bytes, name: nameOfPage(page), type }, account_id, undefined),
  )
  return 'ok' in result ? result : [result.outcome]
}

const toFileName = (path: string) => path.split(/[/\\]/).at(-1) ?? path

/** Return a name whose extension decides the format only if the media type says nothing about it. */
function nameOfPage({ url, type }: { url: string; type: string }): string {
  const { pathname, hostname } = new URL(url)
  const name = toFileName(decodeOrKeep(pathname)) || hostname
  return /^(?:|text\/plain|application\/octet-stream)\s*(?:;|$)/i.test(type)
    ? name
    : `${name.replace(/\.\w{1,20}$/, '')}.`
}

function decodeOrKeep(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Read the next pages of a vendor's list. A failure after the first page is left to the next slice. */
async function listNext(
  ctx: SourceContext,
  claimed: VendorBatch,
): Promise<Omit<Listing, 'losses'> | Failure> {
  if (claimed.attempts > maxListingAttempts)
    return { ok: false, status: null, error: 'The list of articles does not end', gone: true }
  const vendor = await open(ctx, claimed)
  const start = claimed.list_position ?? ''
  const listing = { articles: [] as ListedArticle[], next: start as string | null }
  try {
    for (
      let pages = 0;
      pages < slicePages && listing.next !== null && listing.articles.length <= maxVendorArticles;
      pages++
    ) {
      const page = await vendor.listPage(listing.next)
      listing.articles.push(...page.articles.map(({ id, name }) => ({ id, name: toLine(name) })))
      listing.next = page.next
    }
  } catch (error) {
    if (!(error instanceof ArticlesError)) throw error
    if (listing.next === start) return error.result
  }
  return listing
}

/**
 * Read the next articles that are listed. A failure after the first one is left to the next slice. The last
 * attempt refuses each article that fails, as long as the vendor answers for another one.
 */
async function readListed(
  ctx: SourceContext,
  claimed: VendorBatch,
  selectListed: SelectListed,
): Promise<Outcome[] | Failure> {
  const vendor = await open(ctx, claimed)
  const outcomes: Outcome[] = []
  const isLast = claimed.attempts >= claimed.max_attempts
  let steps = 0
  let failure: Failure | undefined
  let answers = 0
  for (const { name, source_id } of await selectListed(sliceArticles)) {
    if (steps >= sliceSteps) break
    const { value: html, losses } = await listLosses(() => load(vendor, source_id))
    if (typeof html !== 'string' && (html.kind === 'other' || html.kind === 'late')) {
      failure = html.result
      if (html.kind === 'late' || html.result.gone || html.result.isPostponed || !isLast) break
    } else answers++
    const result = await readOne(ctx.log, name, async () => {
      if (typeof html !== 'string') throw new ArticleError(toVendorReason(html))
      if (new TextEncoder().encode(html).byteLength > maxArticleBytes) throw new ArticleError(tooLarge)
      const article = await ctx.files.read(
        'article_text',
        { format: 'html', title: name, content: html },
        claimed.account_id,
        undefined,
      )
      return { ...article, warnings: [...article.warnings, ...losses] }
    })
    if ('ok' in result) return outcomes.length > 0 ? outcomes : busy
    outcomes.push(result.outcome)
    steps += result.steps
  }
  return failure && (answers === 0 || failure.gone) ? failure : outcomes
}

function load(vendor: ArticlesPort, id: string): Promise<string | ArticlesError> {
  return vendor.read(id).catch((error: unknown) => {
    if (error instanceof ArticlesError) return error
    throw error
  })
}

const tooLarge = 'The article is larger than 5 MB'

function toVendorReason({ kind, message }: ArticlesError): string {
  if (kind === 'too_large') return tooLarge
  return kind === 'missing' ? 'The article was deleted meanwhile' : message
}

async function open(
  { vault, guard }: SourceContext,
  { id, account_id, source, address, api_key }: VendorBatch,
): Promise<ArticlesPort> {
  const apiKey = await openArticlesKey(vault, account_id, id, api_key ?? '')
  return openArticles({ vendor: source, baseUrl: address ?? '', apiKey }, guard)
}

/** Too many files are read at the moment, which is no error of the article. */
const busy: Failure = {
  ok: false,
  status: null,
  error: 'Too many files are read at the moment',
  isPostponed: true,
  retryAfterSeconds: 10,
}

/** Read an article with the work of a job. Any error but `busy` is the result of this article alone. */
async function readOne(
  log: SourceContext['log'],
  name: string,
  read: () => Promise<Article>,
): Promise<{ outcome: Outcome; steps: number } | Failure> {
  const budget = createBudget({ steps: jobSteps })
  try {
    return {
      outcome: {
        name,
        article: await runWithin(budget, read),
        problem: null,
      },
      steps: budget.getSpent().steps,
    }
  } catch (error) {
    if (error instanceof Problem && error.kind === 'unavailable') return busy
    return { outcome: { name, article: null, problem: toReason(log, error) }, steps: budget.getSpent().steps }
  }
}

function toReason(log: SourceContext['log'], error: unknown): string {
  if (error instanceof ArticleError || error instanceof ArchiveError) return error.message
  // Only a reader and the budget throw one.
  if (error instanceof Problem && error.status < 500)
    return 'The article takes too much work to read; split it'
  log({ kb_article_unreadable: true, error: describe(error) })
  return 'The article could not be read'
}
