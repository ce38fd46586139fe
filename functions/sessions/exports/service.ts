import { limitConcurrency } from '#async/limit-concurrency.ts'
import { Content, type ReadContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { type AccountText, type ClientText, forAccount } from '#rules/audience.ts'
import { pause } from '#rules/budget.ts'
import { buildReport } from '#rules/exports/build-report.ts'
import { removeValues, renderClientEdition, toClientReport } from '#rules/exports/client-edition.ts'
import { renderHtml } from '#rules/exports/html.ts'
import { renderMarkdown } from '#rules/exports/markdown.ts'
import { MaskingError, maskReport } from '#rules/exports/mask.ts'
import type { Branding } from '#rules/exports/pdf-frame.ts'
import type { Report, ReportImage, ReportImages, SupportingDataRow } from '#rules/exports/report.ts'
import { type SelectedImage, selectImages } from '#rules/exports/select-images.ts'
import { shortenReport, textWork } from '#rules/exports/shorten-report.ts'
import { renderText } from '#rules/exports/text.ts'
import { removeDescriptions, renderTicketNote } from '#rules/exports/ticket-note.ts'
import { forClient } from '#rules/release.ts'
import { clipStart } from '#rules/text/clip.ts'
import { createSlug } from '#rules/text/words.ts'
import * as queries from './queries.ts'
import { type ExportQuery, type Format, formats } from './schemas.ts'

/** Render the document, then mark a completed session as exported. Mark nothing if rendering fails. */
export async function exportSession(ctx: ReadContext, id: string, query: ExportQuery): Promise<Content> {
  const { session, report, format, settings, images } = await readReport(ctx, id, query)
  await pause()
  const content = await renderReport(ctx, report, format, { settings, images })
  if (session.state === 'completed' && session.exported_at === null)
    await queries.markExported(ctx.callFunction, id)
  return content
}

/**
 * Return a note for the session's ticket, for colleagues. Mask it if the account masks exports by default.
 */
export async function createTicketNote(ctx: Pick<ReadContext, 'db'>, id: string): Promise<AccountText> {
  return forAccount(renderTicketNote((await readReport(ctx, id, { format: 'ticket-note' })).report))
}

/** Return what the client of the session's ticket may read of it. */
export async function createClientEdition({ db }: Pick<ReadContext, 'db'>, id: string): Promise<ClientText> {
  const { session, subflows, settings } = await queries.selectExport(db, id)
  if (!session) throw notFound('Session')
  const options = { timezone: settings.timezone, subflows: subflows.map(removeValues) }
  const report = shortenReport(buildReport(removeValues(session), [], options), textWork)
  return forClient(renderClientEdition(toClientReport(report)))
}

async function readReport(
  { db }: Pick<ReadContext, 'db'>,
  id: string,
  { max_step_index, mask, ...query }: ExportQuery,
) {
  const { session, subflows, supporting, settings, scriptNames } = await queries.selectExport(db, id)
  if (!session) throw notFound('Session')
  const format = query.format ?? getPreferredFormat(settings)
  const options = { lastDecision: max_step_index, timezone: settings.timezone, scriptNames, subflows }
  const shownData = format === 'ticket-note' ? supporting.map(shortenOutput) : supporting
  const fullReport = buildReport(session, shownData, options)
  const report = format === 'ticket-note' ? removeDescriptions(fullReport) : fullReport
  const isMasked = mask ?? settings.preferences.mask_exports === true
  // An image cannot be masked, so a masked export only names it.
  const images = isMasked ? [] : selectImages(report, supporting)
  await pause()
  const shownReport = isMasked ? await maskReportOrThrow(report) : report
  await pause()
  return { session, settings, format, images, report: shownReport }
}

/** What a note shows of an output. Exports in other formats have all of it. */
const maxNoteOutput = 1000

function shortenOutput(row: SupportingDataRow): SupportingDataRow {
  return row.is_output ? { ...row, content: clipStart(row.content ?? '', maxNoteOutput) } : row
}

/** Return the masked report; throw 500 if masking fails. */
async function maskReportOrThrow(report: Report): Promise<Report> {
  try {
    return await maskReport(report)
  } catch (error) {
    if (!(error instanceof MaskingError)) throw error
    throw new Problem('masking_failed', `${error.message}; nothing was exported`)
  }
}

function getPreferredFormat({ preferences }: queries.ExportSettings): Format {
  return formats.find((format) => format === preferences.default_export_format) ?? 'markdown'
}

interface RenderOptions {
  settings: queries.ExportSettings
  images: readonly SelectedImage[]
}

async function renderReport(
  ctx: ReadContext,
  report: Report,
  format: Format,
  { settings, images }: RenderOptions,
): Promise<Content> {
  const name = createSlug(
    `${report.title} ${report.facts.find(({ label }) => label === 'Ticket')?.value ?? ''}`,
    'session',
  )
  switch (format) {
    case 'markdown':
      return new Content(renderMarkdown(report), 'text/markdown; charset=utf-8', `${name}.md`)
    case 'html':
      return new Content(
        renderHtml(report, await loadImages(ctx, images)),
        'text/html; charset=utf-8',
        `${name}.html`,
      )
    case 'text':
      return new Content(renderText(report), 'text/plain; charset=utf-8', `${name}.txt`)
    case 'pdf':
      return new Content(await createPdf(ctx, report, { settings, images }), 'application/pdf', `${name}.pdf`)
    case 'ticket-note':
      return new Content(renderTicketNote(report), 'text/plain; charset=utf-8', `${name}-note.txt`)
  }
}

async function createPdf(ctx: ReadContext, report: Report, { settings, images }: RenderOptions) {
  // It is loaded by the first PDF, because most requests do not need it.
  const { renderPdf } = await import('#rules/exports/pdf.ts')
  const [branding, loadedImages] = [await loadBranding(ctx, settings), await loadImages(ctx, images)]
  return renderPdf(report, { branding, images: loadedImages, assets: ctx.assets })
}

/** Workers allow six open connections per request. */
const maxParallelReads = 4

/**
 * Return the images by their place. Omit those that are missing in the bucket, so that the export still
 * succeeds.
 */
async function loadImages({ uploads }: ReadContext, images: readonly SelectedImage[]): Promise<ReportImages> {
  const limit = limitConcurrency({ running: maxParallelReads })
  const loadedImages = new Map<number, ReportImage>()
  const load = async ({ place, key, width, height }: SelectedImage) => {
    const jpeg = await uploads.get(key).catch(throwProviderError)
    if (jpeg) loadedImages.set(place, { jpeg, width, height })
  }
  await Promise.all(images.map((image) => limit(() => load(image))))
  return loadedImages
}

/**
 * Return the branding with the bytes of the logo. Omit a logo that is missing in the bucket, so that the
 * export still succeeds.
 */
async function loadBranding(
  { uploads }: ReadContext,
  { company_name, primary_colour, footer_text, logo }: queries.ExportSettings,
): Promise<Branding> {
  const jpeg = logo && (await uploads.get(logo.key).catch(throwProviderError))
  return {
    company: company_name,
    colour: primary_colour,
    footer: footer_text,
    logo: logo && jpeg ? { jpeg, width: logo.width, height: logo.height } : null,
  }
}

function throwProviderError(cause: unknown): never {
  throw new Problem('provider_error', undefined, { cause })
}
