/**
 * Create a parameter for a statement of which only the text is needed. It is an empty list, and every other
 * property is a placeholder too.
 */
export function createPlaceholder(): unknown {
  return new Proxy([], {
    get: (list, property) => {
      if (property in list) return list[property as never]
      return isForeignProperty(property) ? undefined : createPlaceholder()
    },
  })
}

/**
 * Return whether a library reads the property to find out what a value is, or it is a cursor, whose text
 * would have to be right.
 */
function isForeignProperty(property: PropertyKey): boolean {
  return (
    typeof property === 'symbol' ||
    ['toOperationNode', 'isExpression', 'then', 'toJSON', 'after'].includes(String(property))
  )
}
