import { encodeBase64 } from '#rules/text/base64.ts'
import { escapeHtml } from '#rules/text/html.ts'
import { writeHtmlPage } from '#rules/text/html-page.ts'
import { renderAll, renderCode, renderMarkdownText, renderPlainText, renderSpans } from './html-blocks.ts'
import type { Evidence, Fact, Report, ReportCustomStep, ReportFallback, ReportHeader, ReportImages, ReportStep } from './report.ts'
import { splitLines } from './text-blocks.ts'

const stylesheet = `
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:#1f2933;background:#fff;max-width:52rem;margin:2rem auto;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.15rem;margin:2rem 0 .75rem;padding-bottom:.25rem;border-bottom:2px solid #d9e2ec}
h3{font-size:1rem;margin:0 0 .35rem}
p{margin:.4rem 0;white-space:pre-wrap}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.2rem 1rem;margin:0}
dt{color:#616e7c}
dd{margin:0;white-space:pre-wrap}
ol.steps{list-style:none;margin:0;padding:0}
ol.steps>li{border:1px solid #d9e2ec;border-radius:6px;padding:.75rem 1rem;margin:0 0 .75rem;break-inside:avoid-page}
.answer{font-weight:600}
.time,.source{color:#616e7c;font-weight:400;font-size:.87em}
.aside{border-inline-start:3px solid #d9e2ec;padding-inline-start:.75rem;margin:.6rem 0}
pre{background:#f5f7fa;border:1px solid #d9e2ec;border-radius:4px;padding:.6rem .75rem;margin:.5rem 0;white-space:pre-wrap;font:13px/1.45 ui-monospace,Consolas,Menlo,monospace}
code{background:#f5f7fa;border-radius:3px;padding:.05em .3em;font:.9em ui-monospace,Consolas,Menlo,monospace}
figure{margin:.5rem 0;padding:1rem;border:1px dashed #9aa5b1;border-radius:4px;color:#616e7c}
figure img{display:block;max-width:100%;height:auto;margin:0 0 .5rem}
.text ul,.text ol{margin:.4rem 0;padding-inline-start:1.6em}
.text li>p{margin:.15rem 0}
.text li.task{list-style:none;margin-inline-start:-1.4em}
.text li.task>p:first-of-type{display:inline}
blockquote{margin:.5rem 0;border-inline-start:3px solid #9aa5b1;padding-inline-start:.75rem;color:#3e4c59}
hr{border:0;border-top:1px solid #d9e2ec;margin:.75rem 0}
table{border-collapse:collapse;margin:.5rem 0}
th,td{border:1px solid #d9e2ec;padding:.25rem .5rem;text-align:start;vertical-align:top}
th{background:#f5f7fa}
.header{margin:1.25rem 0 .75rem;padding:.5rem .75rem;background:#f0f4f8;border-radius:6px}
ol.steps>li.header{border:0}
`

/** Render a report as one HTML page. It contains its images, loads nothing and has no scripts. */
export function renderHtml(report: Report, images: ReportImages = new Map()): string {
  const body = `<h1 dir="auto">${escapeHtml(report.title)}</h1>
${renderMarkdownText(report.description)}${renderFacts(report.facts)}
${renderSections(report, images)}`
  return writeHtmlPage({ title: report.title, stylesheet, body, hasImages: true })
}

function renderSections(report: Report, images: ReportImages): string {
  const renderOne = (step: ReportStep) => renderStep(step, images)
  const sections = [
    renderSection('Details', renderFacts(report.variables)),
    renderSection('Steps', renderList(renderAll(report.steps, renderOne) + renderEnd(report.end))),
    renderSection('Current step', renderList(report.pendingStep ? renderOne(report.pendingStep) : '')),
    renderSection('Also tried', renderAll(report.fallbacks, renderFallback)),
    renderSection('Also done', renderAll(report.customSteps, renderCustomStep)),
    renderSection(
      'Supporting data',
      renderAll(report.evidence, (evidence) => renderEvidence(evidence, images)),
    ),
    renderSection('Notes', renderPlainText(report.notes)),
    renderSection('Next steps', renderPlainText(report.nextSteps)),
  ]
  return sections.join('')
}

function renderSection(title: string, content: string): string {
  return content && `<section>\n<h2>${title}</h2>\n${content}</section>\n`
}

function renderFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return ''
  const rows = facts.map((fact) => `<dt dir="auto">${escapeHtml(fact.label)}</dt><dd dir="auto">${renderValue(fact)}</dd>\n`)
  return `<dl>\n${rows.join('')}</dl>\n`
}

function renderValue({ value, href }: Fact): string {
  return href === undefined ? escapeHtml(splitLines(value).join('\n')) : renderSpans([{ text: value, href }])
}

function renderList(items: string): string {
  return items && `<ol class="steps">\n${items}</ol>\n`
}

function renderStep(step: ReportStep, images: ReportImages): string {
  const evidence = renderAll(step.evidence, (item) => renderEvidence(item, images))
  return `${renderAll(step.headers, renderHeader)}<li>
<h3 dir="auto">${step.number}. ${escapeHtml(step.title)}</h3>
${renderMarkdownText(step.description)}${renderFacts(step.details)}${renderAnswer(step)}${renderNote(step.note)}${renderAll(step.fallbacks, renderFallback)}${renderAll(step.customSteps, renderCustomStep)}${evidence}</li>
`
}

function renderAnswer({ answer, durationAndTime }: ReportStep): string {
  return answer && `<p class="answer" dir="auto">${escapeHtml(answer)} <span class="time">${durationAndTime}</span></p>\n`
}

function renderHeader({ title, description }: ReportHeader): string {
  return `<li class="header"><h3 dir="auto">${escapeHtml(title)}</h3>\n${renderMarkdownText(description)}</li>\n`
}

function renderEnd(end: Report['end']): string {
  return end ? renderAll([...end.headers, end], renderHeader) : ''
}

function renderNote(note: string): string {
  return note && `<div class="aside">${renderPlainText(note)}</div>\n`
}

function renderFallback({ title, outcome, note }: ReportFallback): string {
  return `<div class="aside"><p dir="auto">Also tried: ${escapeHtml(title)} – ${outcome}</p>\n${renderPlainText(note)}</div>\n`
}

function renderCustomStep({ title, description, source }: ReportCustomStep): string {
  return `<div class="aside"><p dir="auto">Also done: ${escapeHtml(title)} <span class="source">${source}</span></p>\n${renderMarkdownText(description)}</div>\n`
}

function renderEvidence({ kind, title, content, image }: Evidence, images: ReportImages): string {
  if (kind === 'text') return `<div class="aside"><p dir="auto">${escapeHtml(title)}</p>\n${renderCode(content)}</div>\n`
  const loadedImage = image === null ? undefined : images.get(image)
  const picture = loadedImage
    ? `<img src="data:image/jpeg;base64,${encodeBase64(loadedImage.jpeg)}" width="${loadedImage.width}" height="${loadedImage.height}" alt="${escapeHtml(title)}">\n`
    : ''
  return `<figure dir="auto">${picture}Screenshot: ${escapeHtml(title)}\n${renderPlainText(content)}</figure>\n`
}
