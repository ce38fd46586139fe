declare module '@phi-ag/argon2/argon2.wasm' {
  const compiled: WebAssembly.Module
  // biome-ignore lint/style/noDefaultExport: that is how a bundler hands over compiled wasm
  export default compiled
}

declare module 'harfbuzzjs/dist/harfbuzz.wasm' {
  const compiled: WebAssembly.Module
  // biome-ignore lint/style/noDefaultExport: that is how a bundler hands over compiled wasm
  export default compiled
}

declare module '@resvg/resvg-wasm/index_bg.wasm' {
  const compiled: WebAssembly.Module
  // biome-ignore lint/style/noDefaultExport: that is how a bundler hands over compiled wasm
  export default compiled
}
