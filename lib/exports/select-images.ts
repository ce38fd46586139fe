import type { Report, ReportStep, SupportingDataRow } from './report.ts'

/** What an export may contain: a Worker holds each image in memory, several times while it writes a document. */
const maxImages = 20
const maxImageBytes = 6 * 1024 * 1024

export interface SelectedImage {
  /** Its place in the supporting data. */
  place: number
  key: string
  width: number
  height: number
}

/** Return the images that the report shows, in its order, as many as an export may contain. */
export function selectImages({ steps, pendingStep, evidence }: Report, supportingData: readonly SupportingDataRow[]): SelectedImage[] {
  const allSteps: ReportStep[] = pendingStep ? [...steps, pendingStep] : steps
  const places = [...allSteps.flatMap((step) => step.evidence), ...evidence].flatMap(({ image }) => (image === null ? [] : [image]))
  const selected: SelectedImage[] = []
  let bytes = 0
  for (const place of places) {
    const image = supportingData[place]?.image
    if (!image || selected.length === maxImages || bytes + image.size > maxImageBytes) continue
    bytes += image.size
    selected.push({ place, key: image.key, width: image.width, height: image.height })
  }
  return selected
}
