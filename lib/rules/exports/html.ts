import { splitLines } from '#rules/markup/blocks.ts'
import { encodeBase64 } from '#rules/text/bytes.ts'
import { type Html, html, writeHtmlPage } from '#rules/text/html.ts'
import { maxWrittenBytes } from '#rules/text/written-bytes.ts'
import { renderCode, renderMarkdownText, renderPlainText, renderSpans } from './html-blocks.ts'
import type {
  Evidence,
  Fact,
  Report,
  ReportCustomStep,
  ReportFallback,
  ReportHeader,
  ReportImage,
  ReportImages,
  ReportStep,
} from './report.ts'
import { shortenReport, textWork } from './shorten-report.ts'
import { addName } from './text.ts'

const stylesheet = `
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--text);background:var(--page);max-width:52rem;margin:2rem auto;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.15rem;margin:2rem 0 .75rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h3{font-size:1rem;margin:0 0 .35rem}
p{margin:.4rem 0;white-space:pre-wrap}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.2rem 1rem;margin:0}
dt{color:var(--muted)}
dd{margin:0;white-space:pre-wrap}
ol.steps{list-style:none;margin:0;padding:0}
ol.steps>li{border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;margin:0 0 .75rem;break-inside:avoid-page}
.answer{font-weight:600}
.time,.source{color:var(--muted);font-weight:400;font-size:.87em}
.aside{border-inline-start:3px solid var(--line);padding-inline-start:.75rem;margin:.6rem 0}
pre{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:.6rem .75rem;margin:.5rem 0;white-space:pre-wrap;font:13px/1.45 ui-monospace,Consolas,Menlo,monospace}
code{background:var(--panel);border-radius:3px;padding:.05em .3em;font:.9em ui-monospace,Consolas,Menlo,monospace}
figure{margin:.5rem 0;padding:1rem;border:1px dashed var(--muted);border-radius:4px;color:var(--muted)}
figure img{display:block;max-width:100%;height:auto;margin:0 0 .5rem}
.text ul,.text ol{margin:.4rem 0;padding-inline-start:1.6em}
.text li>p{margin:.15rem 0}
.text li.task{list-style:none;margin-inline-start:-1.4em}
.text li.task>p:first-of-type{display:inline}
blockquote{margin:.5rem 0;border-inline-start:3px solid var(--muted);padding-inline-start:.75rem;color:var(--muted)}
hr{border:0;border-top:1px solid var(--line);margin:.75rem 0}
table{border-collapse:collapse;margin:.5rem 0}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:start;vertical-align:top}
th{background:var(--panel)}
.header{margin:1.25rem 0 .75rem;padding:.5rem .75rem;background:var(--panel);border-radius:6px}
ol.steps>li.header{border:0}
`

/** What the texts of a page with many images may have. */
const minTextBytes = 1024 * 1024
/** The length of three bytes in base64 is four. */
const countImageBytes = (images: ReportImages) =>
  [...images.values()].reduce((sum, { jpeg }) => sum + Math.ceil(jpeg.length / 3) * 4, 0)

/** Render a report as one HTML page. It contains its images, loads nothing and has no scripts. */
export function renderHtml(fullReport: Report, images: ReportImages): string {
  const report = shortenReport(fullReport, {
    ...textWork,
    maxBytes: Math.max(minTextBytes, maxWrittenBytes - countImageBytes(images)),
  })
  const body = html`<h1 dir="auto">${report.title}</h1>
${renderMarkdownText(report.description)}${renderFacts(report.facts)}
${listSections(report, images).map(renderSection)}`
  return writeHtmlPage({ title: report.title, stylesheet, body, hasImages: true })
}

interface Section {
  title: string
  /** Without content there is no section. */
  content: readonly Html[]
}

function listSections(report: Report, images: ReportImages): Section[] {
  const { pendingStep, end } = report
  const renderOne = (step: ReportStep) => renderStep(step, images)
  const steps = [...report.steps.map(renderOne), ...(end ? [...end.headers, end].map(renderHeader) : [])]
  const sections = [
    { title: 'Details', content: listPresent(renderFacts(report.variables)) },
    { title: 'Steps', content: listPresent(renderList(steps)) },
    { title: 'Current step', content: listPresent(renderList(pendingStep ? [renderOne(pendingStep)] : [])) },
    { title: 'Also tried', content: report.fallbacks.map(renderFallback) },
    { title: 'Also done', content: report.customSteps.map(renderCustomStep) },
    {
      title: 'Supporting data',
      content: report.evidence.map((evidence) => renderEvidence(evidence, images)),
    },
    { title: 'Notes', content: renderPlainText(report.notes) },
    { title: 'Next steps', content: renderPlainText(report.nextSteps) },
  ]
  return sections.filter(({ content }) => content.length > 0)
}

const listPresent = (content: Html | false): Html[] => (content ? [content] : [])

function renderSection({ title, content }: Section): Html {
  return html`<section>\n<h2>${title}</h2>\n${content}</section>\n`
}

function renderFacts(facts: readonly Fact[]): Html | false {
  const rows = facts.map(
    (fact) => html`<dt dir="auto">${fact.label}</dt><dd dir="auto">${renderValue(fact)}</dd>\n`,
  )
  return rows.length > 0 && html`<dl>\n${rows}</dl>\n`
}

function renderValue({ value, href }: Fact): string | (Html | string)[] {
  return href === undefined ? splitLines(value).join('\n') : renderSpans([{ text: value, href }])
}

function renderList(items: readonly Html[]): Html | false {
  return items.length > 0 && html`<ol class="steps">\n${items}</ol>\n`
}

function renderStep(step: ReportStep, images: ReportImages): Html {
  const evidence = step.evidence.map((item) => renderEvidence(item, images))
  return html`${step.headers.map(renderHeader)}<li>
<h3 dir="auto">${step.number}. ${step.title}</h3>
${renderMarkdownText(step.description)}${renderFacts(step.details)}${renderAnswer(step)}${renderNote(step.note)}${step.fallbacks.map(renderFallback)}${step.customSteps.map(renderCustomStep)}${evidence}</li>
`
}

function renderAnswer({ answer, durationAndTime }: ReportStep): Html | false {
  return (
    answer !== '' &&
    html`<p class="answer" dir="auto">${answer} <span class="time">${durationAndTime}</span></p>\n`
  )
}

function renderHeader({ title, description }: ReportHeader): Html {
  return html`<li class="header"><h3 dir="auto">${title}</h3>\n${renderMarkdownText(description)}</li>\n`
}

function renderNote(note: string): Html | false {
  return note !== '' && html`<div class="aside">${renderPlainText(note)}</div>\n`
}

function renderFallback({ title, outcome, note }: ReportFallback): Html {
  return html`<div class="aside"><p dir="auto">Also tried: ${title} – ${outcome}</p>\n${renderPlainText(note)}</div>\n`
}

function renderCustomStep({ title, description, source }: ReportCustomStep): Html {
  return html`<div class="aside"><p dir="auto">Also done: ${title} <span class="source">${source}</span></p>\n${renderMarkdownText(description)}</div>\n`
}

function renderEvidence(evidence: Evidence, images: ReportImages): Html {
  const { kind, content, image } = evidence
  const title = addName(evidence.title, evidence.by)
  switch (kind) {
    case 'text':
      return html`<div class="aside"><p dir="auto">${title}</p>\n${renderCode(content)}</div>\n`
    case 'screenshot': {
      const picture = image === null ? undefined : images.get(image)
      return html`<figure dir="auto">${picture && renderPicture(title, picture)}Screenshot: ${title}\n${renderPlainText(content)}</figure>\n`
    }
  }
}

function renderPicture(title: string, { jpeg, width, height }: ReportImage): Html {
  return html`<img src="data:image/jpeg;base64,${encodeBase64(jpeg)}" width="${width}" height="${height}" alt="${title}">\n`
}
