import { escapeHtml } from '../text/html.ts'
import { type Block, linesOf, type Span, typedBlocks, writtenBlocks } from './prose.ts'
import type { Addition, Evidence, Fact, Fallback, Report, Step } from './report.ts'

const style = `
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

/** A report as one page that loads nothing and runs nothing. */
export function htmlOf(report: Report): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(report.title)}</title>
<style>${style}</style>
</head>
<body>
<h1 dir="auto">${escapeHtml(report.title)}</h1>
${written(report.description)}${facts(report.facts)}
${section('Details', facts(report.variables))}${section('Steps', steps(report.steps))}${section('Also tried', all(report.fallbacks, fallback))}${section('Also done', all(report.additions, addition))}${section('Supporting data', all(report.evidence, evidence))}${section('Notes', typed(report.notes))}${section('Next steps', typed(report.nextSteps))}</body>
</html>
`
}

function all<T>(list: readonly T[], write: (one: T) => string): string {
  let made = ''
  for (const one of list) made += write(one)
  return made
}

function section(title: string, content: string): string {
  return content && `<section>\n<h2>${title}</h2>\n${content}</section>\n`
}

function facts(list: readonly Fact[]): string {
  if (list.length === 0) return ''
  const rows = list.map(
    ({ label, value }) => `<dt dir="auto">${escapeHtml(label)}</dt><dd dir="auto">${escapeHtml(linesOf(value).join('\n'))}</dd>\n`,
  )
  return `<dl>\n${rows.join('')}</dl>\n`
}

function steps(list: readonly Step[]): string {
  return list.length > 0 ? `<ol class="steps">\n${all(list, step)}</ol>\n` : ''
}

function step({ number, title, description, answer, time, note, fallbacks, additions, evidence: shown }: Step): string {
  const below = `${all(fallbacks, fallback)}${all(additions, addition)}${all(shown, evidence)}`
  return `<li>
<h3 dir="auto">${number}. ${escapeHtml(title)}</h3>
${written(description)}<p class="answer" dir="auto">${escapeHtml(answer)} <span class="time">${time}</span></p>
${note && `<div class="aside">${typed(note)}</div>\n`}${below}</li>
`
}

function fallback({ title, outcome, note }: Fallback): string {
  return `<div class="aside"><p dir="auto">Instead: ${escapeHtml(title)} – ${outcome}</p>\n${typed(note)}</div>\n`
}

function addition({ title, description, source }: Addition): string {
  return `<div class="aside"><p dir="auto">Also done: ${escapeHtml(title)} <span class="source">${source}</span></p>\n${written(description)}</div>\n`
}

function evidence({ kind, title, content }: Evidence): string {
  if (kind === 'screenshot') return `<figure dir="auto">Screenshot: ${escapeHtml(title)}\n${typed(content)}</figure>\n`
  return `<div class="aside"><p dir="auto">${escapeHtml(title)}</p>\n${pre(content)}</div>\n`
}

function typed(text: string): string {
  return text && all(typedBlocks(text), block)
}

function written(text: string): string {
  return text && all(writtenBlocks(text), block)
}

function block(one: Block): string {
  switch (one.kind) {
    case 'code':
      return pre(one.text)
    case 'title':
      return `<p dir="auto"><strong>${inline(one.spans)}</strong></p>\n`
    case 'item':
      return `<div class="item d${one.depth}" dir="auto"><span>${one.marker === '-' ? '•' : one.marker}</span><span>${inline(one.spans)}</span></div>\n`
    case 'plain':
      return `<p dir="auto">${lines(one.lines)}</p>\n`
  }
}

function lines(list: readonly Span[][]): string {
  let made = ''
  for (const spans of list) made += made === '' ? inline(spans) : `\n${inline(spans)}`
  return made
}

function pre(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(text)}</pre>\n`
}

function inline(spans: readonly Span[]): string {
  let made = ''
  for (const { text, as, href } of spans) {
    if (as === 'link') made += `<a href="${escapeHtml(href ?? '')}" rel="noopener noreferrer">${escapeHtml(text)}</a>`
    else made += as ? `<${as}>${escapeHtml(text)}</${as}>` : escapeHtml(text)
  }
  return made
}
