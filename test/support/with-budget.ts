import { createBudget, jobSteps } from '#rules/budget.ts'
import * as html from '#rules/exports/html.ts'
import * as markdown from '#rules/exports/markdown.ts'
import type { Report, ReportImages } from '#rules/exports/report.ts'
import * as text from '#rules/exports/text.ts'
import * as ticketNote from '#rules/exports/ticket-note.ts'
import * as masking from '#rules/masking/mask.ts'

// For tests of what is written, which do not need to know the work.

const create = () => createBudget({ steps: jobSteps })

export const mask = (value: string) => masking.mask(value, create())
export const renderHtml = (report: Report, images: ReportImages = new Map()) =>
  html.renderHtml(report, images, create())
export const renderMarkdown = (report: Report) => markdown.renderMarkdown(report, create())
export const renderText = (report: Report) => text.renderText(report, create())
export const renderTicketNote = (report: Report) => ticketNote.renderTicketNote(report, create())
