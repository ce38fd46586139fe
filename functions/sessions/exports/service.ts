import { htmlOf } from '../../../lib/exports/html.ts'
import { markdownOf } from '../../../lib/exports/markdown.ts'
import { MaskingError, maskReport } from '../../../lib/exports/mask.ts'
import { type Branding, pdfOf } from '../../../lib/exports/pdf.ts'
import { type Report, reportOf } from '../../../lib/exports/report.ts'
import { textOf } from '../../../lib/exports/text.ts'
import { briefOf, ticketNoteOf } from '../../../lib/exports/ticket-note.ts'
import { Content, type Reader } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { mask as hide } from '../../../lib/text/mask.ts'
import { slugOf } from '../../../lib/text/slug.ts'
import * as queries from './queries.ts'
import { type ExportQuery, type Format, formats } from './schemas.ts'

/** Writes first and marks then: what could not be written was not exported. */
export async function exportSession(ctx: Reader, id: string, query: ExportQuery): Promise<Content> {
  const { session, report, format, setting } = await readReport(ctx.db, id, query)
  const content = await write(ctx, report, format, setting)
  if (session.state === 'completed' && session.exported_at === null) await queries.markExported(ctx.entering, id)
  return content
}

/** What a session came to as a note for its ticket, masked where the account's exports are. */
export async function ticketNote(db: Reader['db'], id: string): Promise<string> {
  return ticketNoteOf((await readReport(db, id, { format: 'ticket-note' })).report)
}

async function readReport(db: Reader['db'], id: string, { max_step_index, mask, ...asked }: ExportQuery) {
  const { session, supporting, setting } = await queries.selectExport(db, id)
  if (!session) throw new Problem('not_found', 'Session not found')
  const format = asked.format ?? preferred(setting)
  const whole = reportOf(session, supporting, { last: max_step_index, timezone: setting.timezone })
  const shown = format === 'ticket-note' ? briefOf(whole) : whole
  return { session, setting, format, report: (mask ?? setting.preferences.mask_exports === true) ? masked(shown) : shown }
}

function masked(report: Report): Report {
  try {
    return maskReport(report, hide)
  } catch (error) {
    if (!(error instanceof MaskingError)) throw error
    throw new Problem('internal', `${error.message}; nothing was exported`, { code: 'masking_failed' })
  }
}

function preferred({ preferences: { default_export_format: said } }: queries.Setting): Format {
  return formats.find((format) => format === said) ?? 'markdown'
}

async function write(ctx: Reader, report: Report, format: Format, setting: queries.Setting): Promise<Content> {
  const name = slugOf(`${report.title} ${report.facts.find(({ label }) => label === 'Ticket')?.value ?? ''}`)
  switch (format) {
    case 'markdown':
      return new Content(markdownOf(report), 'text/markdown; charset=utf-8', `${name}.md`)
    case 'html':
      return new Content(htmlOf(report), 'text/html; charset=utf-8', `${name}.html`)
    case 'text':
      return new Content(textOf(report), 'text/plain; charset=utf-8', `${name}.txt`)
    case 'pdf':
      return new Content(await pdfOf(report, await brandingOf(ctx, setting), ctx.assets.read), 'application/pdf', `${name}.pdf`)
    case 'ticket-note':
      return new Content(ticketNoteOf(report), 'text/plain; charset=utf-8', `${name}-note.txt`)
  }
}

/** A logo that is gone from the bucket is left out: the document is worth more. */
async function brandingOf({ uploads }: Reader, { company_name, primary_colour, footer_text, logo }: queries.Setting): Promise<Branding> {
  const stored = logo && (await uploads.get(logo.key).catch(failed))
  const jpeg = stored && new Uint8Array(await new Response(stored).arrayBuffer())
  return {
    company: company_name,
    colour: primary_colour,
    footer: footer_text,
    logo: logo && jpeg ? { jpeg, width: logo.width, height: logo.height } : null,
  }
}

function failed(cause: unknown): never {
  throw new Problem('provider_error', undefined, { cause })
}
