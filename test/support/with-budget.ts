import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import * as html from '#rules/exports/html.ts'
import * as markdown from '#rules/exports/markdown.ts'
import type { Report, ReportImages } from '#rules/exports/report.ts'
import * as text from '#rules/exports/text.ts'
import * as ticketNote from '#rules/exports/ticket-note.ts'
import * as masking from '#rules/masking/mask.ts'

// For tests of what is written, which do not need to know the work.

const create = () => createBudget({ steps: jobSteps })

export const mask = (value: string) => masking.maskPlainText(value)
export const maskShown = (value: string, options?: Parameters<typeof masking.mask>[1]) =>
  runWithin(createBudget({ steps: Number.POSITIVE_INFINITY }), () => masking.mask(value, options))
export const renderHtml = (report: Report, images: ReportImages = new Map()) =>
  runWithin(create(), () => html.renderHtml(report, images))
export const renderMarkdown = (report: Report) => runWithin(create(), () => markdown.renderMarkdown(report))
export const renderText = (report: Report) => runWithin(create(), () => text.renderText(report))
export const renderTicketNote = (report: Report) =>
  runWithin(create(), () => ticketNote.renderTicketNote(report))
