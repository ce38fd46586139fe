import { estimateWidth, wrapText } from './boxes.ts'
import type { Box, Point } from './edge-paths.ts'

const labelHeight = 18
/** The distance by which a label is moved until it is free. */
const stepHeight = 20
const maxSteps = 40

/** Return the box of a label of one line. */
export function createLabelBox(text: string, { x, y }: Point): { line: string; box: Box } {
  const [line = ''] = wrapText(text, 30, 1)
  const width = Math.ceil(estimateWidth(line)) + 8
  return { line, box: { x: x - width / 2, y: y - labelHeight / 2, width, height: labelHeight } }
}

/** Create a function that moves each box up or down until it does not overlap those before it. The nearest free place wins. */
export function createLabelPlacer(): (box: Box) => Box {
  /** The placed boxes, by the rows of the sheet that they touch. */
  const boxesByRow = new Map<number, Box[]>()
  const listRows = ({ y }: Box) => [Math.floor(y / stepHeight), Math.floor((y + labelHeight) / stepHeight)]
  const isFree = (box: Box) =>
    listRows(box).every((row) => !boxesByRow.get(row)?.some((placed) => placed.x < box.x + box.width && box.x < placed.x + placed.width))
  return (wanted) => {
    let box = wanted
    for (let step = 1; step <= maxSteps && !isFree(box); step++) {
      const distance = Math.ceil(step / 2) * stepHeight
      box = { ...wanted, y: wanted.y + (step % 2 ? distance : -distance) }
    }
    for (const row of listRows(box)) boxesByRow.set(row, [...(boxesByRow.get(row) ?? []), box])
    return box
  }
}
