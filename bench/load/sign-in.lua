-- Sign-ins: a challenge, its nonce signed afresh with Ed25519 by OpenSSL, a verify.
-- wrk … -- <file with a wallet and its 32-byte seed in hex per line, one for each thread>

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

local ffi = require("ffi")
-- wrk is linked with libcrypto, so its functions are there.
ffi.cdef([[
  void *EVP_PKEY_new_raw_private_key(int type, void *engine, const char *key, size_t length);
  void *EVP_MD_CTX_new(void);
  void EVP_MD_CTX_free(void *context);
  int EVP_DigestSignInit(void *context, void *pctx, void *type, void *engine, void *key);
  int EVP_DigestSign(void *context, unsigned char *signature, size_t *length,
                     const char *message, size_t messageLength);
]])
local NID_ED25519 = 1087

local HEADERS = { ["Content-Type"] = "application/json" }
local ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
local wallet, key, challenge
local nonces = {}
completed = 0

function init(args)
  local line = 0
  for address, seed in io.open(args[1]):read("*a"):gmatch("(%S+) (%x+)\n") do
    line = line + 1
    if line == number then
      wallet = address
      local bytes = seed:gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
      key = ffi.C.EVP_PKEY_new_raw_private_key(NID_ED25519, nil, bytes, 32)
    end
  end
  challenge = wrk.format("POST", "/api/auth/challenge", HEADERS, '{"wallet":"' .. wallet .. '"}')
end

local function base58(bytes, length)
  local digits, count = {}, 0
  for index = 0, length - 1 do
    local carry = bytes[index]
    for place = 1, count do
      carry = carry + digits[place] * 256
      digits[place] = carry % 58
      carry = math.floor(carry / 58)
    end
    while carry > 0 do
      count = count + 1
      digits[count] = carry % 58
      carry = math.floor(carry / 58)
    end
  end
  local text = {}
  for index = 0, length - 1 do
    if bytes[index] ~= 0 then break end
    table.insert(text, "1")
  end
  for place = count, 1, -1 do
    table.insert(text, ALPHABET:sub(digits[place] + 1, digits[place] + 1))
  end
  return table.concat(text)
end

local signature, length = ffi.new("unsigned char[64]"), ffi.new("size_t[1]")

local function sign(message)
  local context = ffi.C.EVP_MD_CTX_new()
  length[0] = 64
  assert(ffi.C.EVP_DigestSignInit(context, nil, nil, nil, key) == 1)
  assert(ffi.C.EVP_DigestSign(context, signature, length, message, #message) == 1)
  ffi.C.EVP_MD_CTX_free(context)
  return base58(signature, 64)
end

function request()
  local nonce = table.remove(nonces)
  if not nonce then return challenge end
  local signed = sign("Sign this message to authenticate: " .. nonce)
  local body = '{"wallet":"' .. wallet .. '","nonce":"' .. nonce .. '","signature":"' .. signed .. '"}'
  return wrk.format("POST", "/api/auth/verify", HEADERS, body)
end

function response(status, _, body)
  if status ~= 200 then return end
  local nonce = body:match('"nonce":"([^"]+)"')
  if nonce then
    table.insert(nonces, nonce)
  elseif body:find('"token":"', 1, true) then
    completed = completed + 1
  end
end
