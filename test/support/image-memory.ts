import { readFileSync, writeFileSync } from 'node:fs'
import { sharpConversion } from '#platform/node/images.ts'
import { inspectImage, readImageStructure } from '#vendors/uploads/inspect.ts'
import { imageShapes } from './hostile-images.ts'

// Converts a picture of each shape, and prints what each took, as JSON lines:
// node image-memory.ts <width> <largest height>

/** What the conversion of a picture took: memory in MB beside what was counted, and processor time. */
export interface ImageCost {
  name: string
  height: number
  mb: number
  heldMb: number
  ms: number
}

const mebibyte = 1024 * 1024
const readMb = (field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) /
  1024

const toleranceMb = 8

if (import.meta.main) {
  const [width = 0, maxHeight = 0] = process.argv.slice(2).map(Number)
  const { toJpeg, pingDecoder } = sharpConversion(60_000)
  await pingDecoder()
  const measure = async (image: Uint8Array<ArrayBuffer>) => {
    writeFileSync('/proc/self/clear_refs', '5')
    const [before, start] = [readMb('VmRSS'), process.cpuUsage()]
    const { ok } = await toJpeg(image, 1568, 'a')
    if (!ok) throw new Error('An accepted image was not converted')
    const { user, system } = process.cpuUsage(start)
    return { mb: readMb('VmHWM') - before, ms: (user + system) / 1000 }
  }
  for (const { name, create } of imageShapes) {
    // The largest that is accepted, of the heights that a picture may have.
    let height = maxHeight
    let image = await create(width, height)
    while (!inspectImage(image).ok && height > 100) {
      height = Math.floor(height * 0.9)
      image = await create(width, height)
    }
    const heldMb = (readImageStructure(image)?.heldBytes ?? 0) / mebibyte
    let cost = await measure(image)
    // Others may disturb one run, and the first one loads the decoder.
    if (cost.mb > heldMb + toleranceMb) cost = await measure(image)
    process.stdout.write(`${JSON.stringify({ name, height, heldMb, ...cost } satisfies ImageCost)}\n`)
  }
}
