import { canSpend, spend } from '#rules/budget.ts'
import { maxWrittenBytes, shortenedMark } from '#rules/text/written-bytes.ts'
import { escapeXml } from '#rules/text/xml.ts'
import { parseStrokeWidth, readDashes, readEdgeColour, readNodeColours } from './appearance.ts'
import { partAttribute, roundPosition, toWrittenLabel, writePart } from './drawio-parts.ts'
import type { Box } from './edge-paths.ts'
import { computeBoxes, findGroupIds } from './groups.ts'
import type { DiagramContent, DiagramEdge, DiagramNode } from './schema.ts'

/** Of a node or an edge without what is stored in it. A character of that is written, and may be escaped. */
const [stepsPerPart, stepsPerCharacter] = [2000, 6]
/** Of a cell without its label and its part. */
const bytesPerCell = 1500

/** The room and the work that the file has. What does not fit is left out, with a mark. */
interface Room {
  bytesLeft: number
  isShortened: boolean
}

/**
 * Write a diagram as a draw.io file of one page. Its import gives the same nodes and edges:
 * https://www.drawio.com/doc/faq/diagram-source-edit
 */
export function writeDrawio(name: string, { nodes, edges }: DiagramContent): string {
  const room: Room = { bytesLeft: maxWrittenBytes, isShortened: false }
  const writtenNodes = nodes.filter(() => take(room, stepsPerPart, bytesPerCell))
  // An id may have characters that XML does not allow, and a node may have the id of an edge. 0 and 1 are the
  // page and its layer.
  const cellIdById = new Map(writtenNodes.map(({ id }, index) => [id, `n${index + 1}`]))
  const context = {
    boxById: computeBoxes(writtenNodes),
    groupIds: findGroupIds(writtenNodes),
    cellIdById,
    room,
  }
  const nodeCells = writtenNodes.map((node) => writeNode(node, context))
  const edgeCells = edges.flatMap((edge, index) => {
    const [source, target] = [cellIdById.get(edge.source), cellIdById.get(edge.target)]
    return source && target && take(room, stepsPerPart, bytesPerCell)
      ? [writeEdge(edge, { id: `e${index + 1}`, source, target }, room)]
      : []
  })
  const mark = `<mxCell id="shortened" value="${escapeXml(shortenedMark)}" style="text;html=0;" vertex="1" parent="1"><mxGeometry width="300" height="30" as="geometry"/></mxCell>\n`
  return `<mxfile host="Support Flow Service"><diagram id="diagram" name="${escapeXml(name)}"><mxGraphModel grid="1" gridSize="10" page="0"><root>
<mxCell id="0"/>
<mxCell id="1" parent="0"/>
${[...nodeCells, ...edgeCells].join('')}${room.isShortened ? mark : ''}</root></mxGraphModel></diagram></mxfile>
`
}

function take(room: Room, steps: number, bytes: number): boolean {
  const hasRoom = bytes <= room.bytesLeft && canSpend(steps)
  if (!hasRoom) {
    room.isShortened = true
    return false
  }
  spend(steps)
  room.bytesLeft -= bytes
  return true
}

interface Context {
  boxById: ReadonlyMap<string, Box>
  groupIds: ReadonlySet<string>
  cellIdById: ReadonlyMap<string, string>
  room: Room
}

function writeNode(node: DiagramNode, { boxById, groupIds, cellIdById, room }: Context): string {
  const { id, parent_id, style = {} } = node
  const { x, y, width, height } = boxById.get(id) as Box
  const parent = boxById.get(parent_id ?? '')
  const isGroup = groupIds.has(id)
  const { fill: fillColor, stroke: strokeColor, text: fontColor } = readNodeColours(node, isGroup)
  const form = isGroup
    ? 'container=1;collapsible=0;verticalAlign=top;align=left;spacingLeft=8;fontStyle=1;'
    : 'rounded=1;'
  const lines = `strokeWidth=${parseStrokeWidth(style)};${writeDashes(style)}`
  const cell = { x: roundPosition(x), y: roundPosition(y), width, height, fillColor, strokeColor }
  const place = { x: roundPosition(x - (parent?.x ?? 0)), y: roundPosition(y - (parent?.y ?? 0)) }
  return `${writeObject(cellIdById.get(id) ?? '', toWrittenLabel(node), writePart({ node, cell }), room)}<mxCell style="${form}whiteSpace=wrap;html=0;fillColor=${fillColor};strokeColor=${strokeColor};fontColor=${fontColor};${lines}" vertex="1" parent="${cellIdById.get(parent_id ?? '') ?? '1'}"><mxGeometry x="${place.x}" y="${place.y}" width="${width}" height="${height}" as="geometry"/></mxCell></object>
`
}

const formByRouting = { straight: '', curved: 'curved=1;', step: 'edgeStyle=orthogonalEdgeStyle;rounded=0;' }

function writeEdge(
  edge: DiagramEdge,
  cell: { id: string; source: string; target: string },
  room: Room,
): string {
  const { routing = 'straight', style = {} } = edge
  const lines = `strokeColor=${readEdgeColour(style)};strokeWidth=${parseStrokeWidth(style)};${writeDashes(style)}`
  return `${writeObject(cell.id, toWrittenLabel(edge), writePart({ edge }), room)}<mxCell style="html=0;endArrow=none;${formByRouting[routing]}${lines}" edge="1" parent="1" source="${cell.source}" target="${cell.target}"><mxGeometry relative="1" as="geometry"/></mxCell></object>
`
}

/** Write the start of the element around a cell. */
function writeObject(id: string, label: string, part: string, room: Room): string {
  const escapedPart = canSpend(part.length * stepsPerCharacter) ? escapeXml(part) : ''
  const isFit = take(room, part.length * stepsPerCharacter, escapedPart.length * 3)
  return `<object id="${id}" label="${escapeXml(label)}"${isFit ? ` ${partAttribute}="${escapedPart}"` : ''}>`
}

function writeDashes(style: Record<string, unknown>): string {
  const dashes = readDashes(style)
  return dashes ? `dashed=1;dashPattern=${dashes};` : ''
}
