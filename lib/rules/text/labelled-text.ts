/** A text with its label. The label is fixed; the text may be a user's. */
export interface LabelledText {
  label: string
  text: string
}
