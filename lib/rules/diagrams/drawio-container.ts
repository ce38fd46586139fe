import { spend } from '#rules/budget.ts'
import { createHtmlParser } from '#rules/text/html-parser.ts'
import { isTooDeep, parseJson } from '#rules/text/json.ts'
import { countMarkupSteps } from '#rules/text/xml.ts'
import { DiagramFileError } from './file-error.ts'

// draw.io can put a copy of a diagram into the files that it exports:
// https://www.drawio.com/doc/faq/export-diagram

const whichFile =
  'Send the .drawio file (in draw.io: File, Save as), or an SVG or HTML file that draw.io exported with a copy of the diagram'

/** Return the XML of a draw.io file, which may be in an SVG or HTML file. */
export function unwrapDrawio(content: string): string {
  const root = /<([a-z][\w:-]*)/i.exec(content)?.[1]?.toLowerCase()
  if (!root || !content.trimStart().startsWith('<'))
    throw new DiagramFileError(`This is no draw.io file. ${whichFile}`)
  if (root === 'mxlibrary')
    throw new DiagramFileError(`This is a library of shapes, not a diagram. ${whichFile}`)
  const isSvg = root === 'svg'
  if (root.startsWith('mx') || (!isSvg && !/data-mxgraph\s*=/.test(content))) return content
  const copy = isSvg ? findAttribute(content, 'svg', 'content') : readConfiguration(content)
  const xml = copy?.startsWith('%3C') ? decode(copy) : copy
  if (!xml?.trimStart().startsWith('<'))
    throw new DiagramFileError(`The file has no copy of the diagram. ${whichFile}`)
  return xml
}

/** Return the XML in the JSON of an HTML export. */
function readConfiguration(content: string): string | undefined {
  const json = findAttribute(content, '*', 'data-mxgraph')
  const configuration = json === undefined || isTooDeep(json) ? undefined : parseJson(json)
  const xml =
    typeof configuration === 'object' && configuration && 'xml' in configuration
      ? configuration.xml
      : undefined
  return typeof xml === 'string' ? xml : undefined
}

/** Return the attribute of the first element with this name, or of the first one that has the attribute. */
function findAttribute(markup: string, element: string, attribute: string): string | undefined {
  spend(countMarkupSteps(markup))
  let value: string | undefined
  const parser = createHtmlParser({
    onopentag(name, attributes) {
      if (name !== element && (element !== '*' || attributes[attribute] === undefined)) return
      value ??= attributes[attribute]
      parser.pause()
    },
  })
  parser.end(markup)
  return value
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
