import { escapeHtml } from '../text/html.ts'
import type { Evidence, Fact, Report, ReportCustomStep, ReportFallback, ReportStep } from './report.ts'
import { type Block, parseMarkdown, parsePlainText, type Span, splitLines } from './text-blocks.ts'

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
.item{display:flex;gap:.5em;margin:.15rem 0}
.d1{margin-inline-start:1.2em}.d2{margin-inline-start:2.4em}.d3{margin-inline-start:3.6em}.d4{margin-inline-start:4.8em}
pre{background:#f5f7fa;border:1px solid #d9e2ec;border-radius:4px;padding:.6rem .75rem;margin:.5rem 0;white-space:pre-wrap;font:13px/1.45 ui-monospace,Consolas,Menlo,monospace}
code{background:#f5f7fa;border-radius:3px;padding:.05em .3em;font:.9em ui-monospace,Consolas,Menlo,monospace}
figure{margin:.5rem 0;padding:1rem;border:1px dashed #9aa5b1;border-radius:4px;color:#616e7c}
`

/** Render a report as one HTML page. The page loads nothing and has no scripts. */
export function renderHtml(report: Report): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(report.title)}</title>
<style>${stylesheet}</style>
</head>
<body>
<h1 dir="auto">${escapeHtml(report.title)}</h1>
${renderMarkdownText(report.description)}${renderFacts(report.facts)}
${renderSections(report)}</body>
</html>
`
}

function renderSections(report: Report): string {
  const sections = [
    renderSection('Details', renderFacts(report.variables)),
    renderSection('Steps', renderSteps(report.steps)),
    renderSection('Also tried', renderAll(report.fallbacks, renderFallback)),
    renderSection('Also done', renderAll(report.customSteps, renderCustomStep)),
    renderSection('Supporting data', renderAll(report.evidence, renderEvidence)),
    renderSection('Notes', renderPlainText(report.notes)),
    renderSection('Next steps', renderPlainText(report.nextSteps)),
  ]
  return sections.join('')
}

/** Render all items and join them. Called for every line of a text, so a loop is used, which is faster than `map` and `join`. */
function renderAll<T>(items: readonly T[], render: (item: T) => string): string {
  let html = ''
  for (const item of items) html += render(item)
  return html
}

function renderSection(title: string, content: string): string {
  return content && `<section>\n<h2>${title}</h2>\n${content}</section>\n`
}

function renderFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return ''
  const rows = facts.map(
    ({ label, value }) => `<dt dir="auto">${escapeHtml(label)}</dt><dd dir="auto">${escapeHtml(splitLines(value).join('\n'))}</dd>\n`,
  )
  return `<dl>\n${rows.join('')}</dl>\n`
}

function renderSteps(steps: readonly ReportStep[]): string {
  return steps.length > 0 ? `<ol class="steps">\n${renderAll(steps, renderStep)}</ol>\n` : ''
}

function renderStep(step: ReportStep): string {
  return `<li>
<h3 dir="auto">${step.number}. ${escapeHtml(step.title)}</h3>
${renderMarkdownText(step.description)}<p class="answer" dir="auto">${escapeHtml(step.answer)} <span class="time">${step.durationAndTime}</span></p>
${renderNote(step.note)}${renderAll(step.fallbacks, renderFallback)}${renderAll(step.customSteps, renderCustomStep)}${renderAll(step.evidence, renderEvidence)}</li>
`
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

function renderEvidence({ kind, title, content }: Evidence): string {
  if (kind === 'screenshot') return `<figure dir="auto">Screenshot: ${escapeHtml(title)}\n${renderPlainText(content)}</figure>\n`
  return `<div class="aside"><p dir="auto">${escapeHtml(title)}</p>\n${renderCode(content)}</div>\n`
}

function renderPlainText(text: string): string {
  return text && renderAll(parsePlainText(text), renderBlock)
}

function renderMarkdownText(text: string): string {
  return text && renderAll(parseMarkdown(text), renderBlock)
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return renderCode(block.text)
    case 'heading':
      return `<p dir="auto"><strong>${renderSpans(block.spans)}</strong></p>\n`
    case 'item':
      return `<div class="item d${block.depth}" dir="auto"><span>${block.marker === '-' ? '•' : block.marker}</span><span>${renderSpans(block.spans)}</span></div>\n`
    case 'paragraph':
      return `<p dir="auto">${block.lines.map(renderSpans).join('\n')}</p>\n`
  }
}

function renderCode(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(text)}</pre>\n`
}

function renderSpans(spans: readonly Span[]): string {
  return renderAll(spans, renderSpan)
}

function renderSpan({ text, style, href }: Span): string {
  if (style === 'link') return `<a href="${escapeHtml(href ?? '')}" rel="noopener noreferrer">${escapeHtml(text)}</a>`
  return style ? `<${style}>${escapeHtml(text)}</${style}>` : escapeHtml(text)
}
