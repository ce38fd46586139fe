import type { Report, ReportStep, SupportingDataRow } from './report.ts'

// Limits of an export. While a Worker writes a document, it has several copies of each image in memory. In
// HTML they become 6.7 MiB of base64, which leaves a MiB of 8 for the texts.
const maxImages = 20
const maxImageBytes = 5 * 1024 * 1024

export interface SelectedImage {
  /** Its place in the supporting data. */
  place: number
  key: string
  width: number
  height: number
}

/** Return the images that the report shows, in its order and within the limits of an export. */
export function selectImages(
  { steps, pendingStep, evidence }: Report,
  supportingData: readonly SupportingDataRow[],
): SelectedImage[] {
  const allSteps: ReportStep[] = pendingStep ? [...steps, pendingStep] : steps
  const places = [...allSteps.flatMap((step) => step.evidence), ...evidence].flatMap(({ image }) =>
    image === null ? [] : [image],
  )
  const selectedImages: SelectedImage[] = []
  let bytes = 0
  for (const place of places) {
    const image = supportingData[place]?.image
    if (!image || selectedImages.length === maxImages || bytes + image.size > maxImageBytes) continue
    bytes += image.size
    selectedImages.push({ place, key: image.key, width: image.width, height: image.height })
  }
  return selectedImages
}
