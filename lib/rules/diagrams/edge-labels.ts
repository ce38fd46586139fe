import { estimateWidth, wrapText } from './boxes.ts'
import type { Box, Point } from './edge-paths.ts'

const labelHeight = 18
/** The distance by which a label is moved until it is free. */
const stepHeight = 20
const maxSteps = 40

/** Shorten a label to the one line that is shown. */
export function formatLabel(text: string): string {
  return wrapText(text, 30, 1)[0] ?? ''
}

/** Return the box of a line around its centre. */
export function createLabelBox(line: string, { x, y }: Point): Box {
  const width = Math.ceil(estimateWidth(line)) + 8
  return { x: x - width / 2, y: y - labelHeight / 2, width, height: labelHeight }
}

/**
 * Create a function that chooses the box of a label: the first free one of the places. If none is free, it is
 * the nearest free box above or below the first place.
 */
export function createLabelPlacer(): (places: readonly [Box, ...Box[]]) => Box {
  /** The placed boxes, by the rows of the sheet that they touch. */
  const boxesByRow = new Map<number, Box[]>()
  const listRows = ({ y }: Box) => [Math.floor(y / stepHeight), Math.floor((y + labelHeight) / stepHeight)]
  const isFree = (box: Box) =>
    listRows(box).every(
      (row) =>
        !boxesByRow
          .get(row)
          ?.some((placed) => placed.x < box.x + box.width && box.x < placed.x + placed.width),
    )
  return (places) => {
    const [firstPlace] = places
    let box = places.find(isFree) ?? firstPlace
    for (let step = 1; step <= maxSteps && !isFree(box); step++) {
      const distance = Math.ceil(step / 2) * stepHeight
      box = { ...firstPlace, y: firstPlace.y + (step % 2 ? distance : -distance) }
    }
    for (const row of listRows(box)) boxesByRow.set(row, [...(boxesByRow.get(row) ?? []), box])
    return box
  }
}
