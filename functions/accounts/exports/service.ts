import { Buffer } from 'node:buffer'
import { streamChunks } from '#async/stream-chunks.ts'
import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { PlatformDb } from '#db/scope.ts'
import { Content, type ReadContext, type WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { encodeEnd } from '#rules/archive/zip-writer.ts'
import type { ExportProgress } from '#rules/exports/account-archive.ts'
import { createSlug } from '#rules/text/words.ts'
import type { ExportGrant } from '#vendors/auth/export-tokens.ts'
import type { Ports } from '#vendors/ports.ts'
import * as queries from './queries.ts'
import type { ExportCreate } from './schemas.ts'

type Bytes = Uint8Array<ArrayBuffer>

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectExports.all(db, page), page, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string) {
  return (await queries.selectExport.first(db, id)) ?? throwNotFound('Export')
}

/** Start an export. A job writes it in slices. Throw 409 while another export of the account is open. */
export async function create({ db }: WriteContext, input: ExportCreate) {
  const createdExport = await queries.insertExport.first(db, input)
  if (!createdExport)
    throw new Problem('already_pending', 'Another export of this account is running; wait until it is ready')
  db.outbox({ kind: 'export', id: createdExport.id, attempt: 1 })
  return createdExport
}

/** Create a link with which the archive can be downloaded. Throw 409 unless the export is ready. */
export async function createLink(ctx: WriteContext, id: string) {
  const link = await queries.countLink.first(ctx.db, id)
  if (!link) {
    const { status } = await get(ctx, id)
    throw new Problem('wrong_state', `The export cannot be downloaded, because it is ${status}`, {
      facts: { status },
    })
  }
  const { accountId, userId } = ctx.caller
  const token = await ctx.exportTokens.sign({ exportId: id, accountId, userId }, link.seconds)
  return { url: `${ctx.config.PUBLIC_BASE_URL}/api/v1/account-exports/${token}`, expires_at: link.expires_at }
}

type DownloadContext = Pick<Ports, 'uploads' | 'exportTokens'> & { platform: PlatformDb }

/** Return the archive of a download link. It is read object by object while it is sent. */
export async function download(ctx: DownloadContext, token: string) {
  const grant = await ctx.exportTokens.verify(token)
  const exportRow = grant && (await queries.selectDownload.first(ctx.platform, grant))
  if (!grant || !exportRow) return throwNotFound('Export')
  const body = await streamChunks(readArchive(ctx, grant, exportRow.progress))
  const name = `${createSlug(exportRow.account_name, 'account')}-${exportRow.ready_at.slice(0, 10)}.zip`
  return new Content(body, 'application/zip', name)
}

async function* readArchive(
  ctx: DownloadContext,
  grant: ExportGrant,
  progress: ExportProgress,
): AsyncGenerator<Bytes, undefined> {
  for await (const { object_key } of readPages((after) => queries.selectParts(ctx.platform, grant, after))) {
    const object = await ctx.uploads.get(object_key).catch(throwProviderError)
    yield object ?? throwProviderError(new Error('A part of an export is missing'))
  }
  for await (const { directory } of readPages((after) =>
    queries.selectDirectories.all(ctx.platform, grant, after),
  ))
    yield new Uint8Array(Buffer.from(directory, 'base64'))
  yield encodeEnd({
    entries: progress.entries,
    directoryBytes: progress.directory_bytes,
    offset: progress.bytes,
  })
}

async function* readPages<Row extends { number: number }>(
  selectPage: (after: number) => Promise<Row[]>,
): AsyncGenerator<Row, void> {
  for (let rows = await selectPage(0); rows.length > 0; rows = await selectPage(rows.at(-1)?.number ?? 0))
    yield* rows
}

function throwProviderError(cause: unknown): never {
  throw new Problem('provider_error', undefined, { cause })
}
