// The verifier's public face. It knows neither page nor worker, and runs in node as well.

export { fromBase64url, fromHex, toHex, utf8 } from "./bytes.ts";
