// Made from the routes by `npm run openapi`.
export const openApiTemplate = `{
  "openapi": "3.1.0",
  "info": {
    "title": "{{service}} API",
    "version": "0.1.0",
    "summary": "Public API of a distributed computing test network.",
    "description": "Every answer is JSON in UTF-8 unless it says otherwise; every error has the same shape, and its \`error\` code is stable.\\nLists are paged by \`limit\` and \`cursor\`. Times are Unix seconds, token amounts decimal strings in base units, hashes and addresses lower-case hex.\\nRequests are limited per API key, session wallet, node key or client address; the \`RateLimit-*\` headers of every answer say what is left.\\nReads may be answered from a copy of the database that is a moment behind. Writes, and reads with a credential, are answered with an \`X-Bookmark\` header: a read that sends the newest one back sees everything that was written before it.",
    "license": {
      "name": "MIT",
      "identifier": "MIT"
    }
  },
  "servers": [
    {
      "url": "{{base_url}}"
    }
  ],
  "tags": [
    {
      "name": "Network",
      "description": "The network, its parameters and its health."
    },
    {
      "name": "Sign-in",
      "description": "Sessions for wallets, by EIP-4361."
    },
    {
      "name": "Account",
      "description": "What a wallet keeps here for itself."
    },
    {
      "name": "Developers",
      "description": "Profiles, enrollment, drafts and API keys of developers."
    },
    {
      "name": "Projects",
      "description": "What nodes work on: manifests, versions, listings and their figures."
    },
    {
      "name": "Modules",
      "description": "Upload and download of executable modules."
    },
    {
      "name": "Devices",
      "description": "Devices, bound to wallets by records that both sign."
    },
    {
      "name": "Subscriptions",
      "description": "Devices that work for projects, and the collateral behind them."
    },
    {
      "name": "Faucet",
      "description": "Faucet"
    },
    {
      "name": "Nodes",
      "description": "What nodes say of themselves."
    },
    {
      "name": "Operator",
      "description": "For those who run the network; everything they do is noted."
    },
    {
      "name": "Reference",
      "description": "This document, for programs and for people."
    }
  ],
  "paths": {
    "/": {
      "get": {
        "operationId": "getDescriptor",
        "tags": [
          "Network"
        ],
        "summary": "Describe this network",
        "description": "What a client or a wallet needs before it signs anything: the chain, its contracts, the domains of sign-in texts and the hash of the network parameters.",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The network descriptor.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Descriptor"
                },
                "example": {
                  "network": "{{network}}",
                  "protocol": "{{prefix}}/1",
                  "api": "v1",
                  "runtime": "hive-wasm-v1",
                  "chain": {
                    "id": 31337,
                    "name": null,
                    "contracts": {
                      "{{prefix}}_token": null,
                      "faucet": null,
                      "project_registry": null,
                      "vault_factory": null,
                      "vault_implementation": null,
                      "staking": null,
                      "treasury": null
                    },
                    "explorer": null
                  },
                  "hosts": {
                    "api": "http://localhost:8787",
                    "docs": "http://localhost:8787/docs",
                    "sign_in": [
                      "localhost:8787",
                      "localhost:7878",
                      "127.0.0.1:7878"
                    ]
                  },
                  "params_hash": "0x3c4bab58321b812a974b6adc6d14baeffc5892b69cd7ffb4997eb8f60b372142",
                  "versions": {
                    "hub": "0.1.0",
                    "nodectl_min": "1.0.0"
                  },
                  "features": [
                    "modules",
                    "sign-in"
                  ],
                  "status": "ok",
                  "time": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/status": {
      "get": {
        "operationId": "getStatus",
        "tags": [
          "Network"
        ],
        "summary": "Show the health of the hub",
        "description": "Answers 200 also when a part is unavailable; \`status\` is \`degraded\` then.",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The health of each part.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Status"
                },
                "example": {
                  "status": "ok",
                  "database": "ok",
                  "module_storage": "ok",
                  "chain": {
                    "indexed_block": 21402,
                    "head_block": 21402,
                    "lag_secs": 1
                  },
                  "queue": "ok",
                  "relayer": "ok",
                  "version": "0.1.0"
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/network/params": {
      "get": {
        "operationId": "getNetworkParams",
        "tags": [
          "Network"
        ],
        "summary": "Read the network parameters",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The parameters, and the hash nodes of one network agree on.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/NetworkParams"
                },
                "example": {
                  "params": {
                    "accept_secs": 10,
                    "activation_delay_secs": 3600,
                    "attempt_secs": 120,
                    "audit_bp": 1000,
                    "beacon_offset_secs": 960,
                    "committee_max_backups": 16,
                    "committee_max_size": 31,
                    "committee_min_size": 3,
                    "dispute_window_secs_max": 604800,
                    "dispute_window_secs_min": 3600,
                    "gas_per_unit": 1000000,
                    "max_skew": 300,
                    "min_collateral_floor": "1000000000000000000",
                    "relay_max_control_bytes": 65536,
                    "relay_max_frame_bytes": 2097152,
                    "reputation_initial": 5000,
                    "reputation_max": 10000,
                    "reputation_min": 1000,
                    "settle": 120,
                    "slash_equivocation_bp": 10000,
                    "slash_invalid_result_bp_max": 5000,
                    "slash_missed_sla_bp_max": 500,
                    "snapshot_lead_secs": 300,
                    "treasury_bp_min": 0,
                    "unbonding_secs": 86400,
                    "unbonding_secs_min": 86400,
                    "vault_challenge_secs": 3600,
                    "weight_unit_wei": "1000000000000000"
                  },
                  "params_hash": "0x3c4bab58321b812a974b6adc6d14baeffc5892b69cd7ffb4997eb8f60b372142"
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/validators": {
      "get": {
        "operationId": "listValidators",
        "tags": [
          "Network"
        ],
        "summary": "List the approved validators",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "All of them, ordered by node id.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Validators"
                },
                "example": {
                  "validators": [
                    {
                      "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                      "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "url": "https://validator.example",
                      "region": "eu-west"
                    }
                  ],
                  "count": 1,
                  "quorum": 1
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/categories": {
      "get": {
        "operationId": "listCategories",
        "tags": [
          "Network"
        ],
        "summary": "List the categories",
        "description": "Every category a listing may name, with the number of listed projects in it.",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "All categories.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Categories"
                },
                "example": {
                  "items": [
                    {
                      "category": "blockchain",
                      "count": 0
                    },
                    {
                      "category": "depin",
                      "count": 0
                    },
                    {
                      "category": "machine-learning",
                      "count": 0
                    },
                    {
                      "category": "storage",
                      "count": 0
                    },
                    {
                      "category": "compute",
                      "count": 0
                    },
                    {
                      "category": "bandwidth",
                      "count": 0
                    },
                    {
                      "category": "data-sovereignty",
                      "count": 0
                    },
                    {
                      "category": "iot",
                      "count": 0
                    },
                    {
                      "category": "hardware-staking",
                      "count": 0
                    },
                    {
                      "category": "content-delivery",
                      "count": 0
                    }
                  ]
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/transactions/{id}": {
      "get": {
        "operationId": "getTransaction",
        "tags": [
          "Network"
        ],
        "summary": "Follow a relayed action",
        "security": [],
        "parameters": [
          {
            "name": "id",
            "in": "path",
            "required": true,
            "description": "EIP-712 digest of the signed action.",
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "Where the action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "bond",
                  "status": "confirmed",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 3,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/auth/nonce": {
      "post": {
        "operationId": "createNonce",
        "tags": [
          "Sign-in"
        ],
        "summary": "Get a text to sign",
        "description": "The first step of signing in with a wallet. The nonce works once, within 300 seconds.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/NonceRequest"
              },
              "example": {
                "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                "domain": "localhost:8787"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The nonce and the complete text to sign.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Nonce"
                },
                "example": {
                  "nonce": "Zk3v9QpXw7LrT2sBn",
                  "issued_at": 1793000040,
                  "expires_at": 1793000340,
                  "message": "localhost:8787 wants you to sign in with your Ethereum account:\\n0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC\\n\\nSign in to {{service}} testnet.\\n\\nURI: http://localhost:8787\\nVersion: 1\\nChain ID: 31337\\nNonce: Zk3v9QpXw7LrT2sBn\\nIssued At: 2026-10-26T07:34:00Z\\nExpiration Time: 2026-10-26T19:34:00Z"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/auth/siwe": {
      "post": {
        "operationId": "exchangeSiwe",
        "tags": [
          "Sign-in"
        ],
        "summary": "Exchange a signed text for a session",
        "description": "The second step of signing in. A wallet may also sign its own EIP-4361 text around an issued nonce. An exchange uses the nonce up, also when the signature turns out to be wrong. The session lasts 12 hours.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SiweRequest"
              },
              "example": {
                "message": "localhost:8787 wants you to sign in with your Ethereum account:\\n…",
                "signature": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The session, with its token.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/SessionWithToken"
                },
                "example": {
                  "token": "{{session_token_prefix}}kV0mX2uB9pQ7sT4wZ1yA6cE3gH8jL5nR0tU2vX4zB7d",
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "expires_at": 1793043240,
                  "roles": []
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/auth/session": {
      "get": {
        "operationId": "getSession",
        "tags": [
          "Sign-in"
        ],
        "summary": "Read the own session",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "The session, without its token.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Session"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "expires_at": 1793000040,
                  "roles": []
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/auth/logout": {
      "post": {
        "operationId": "logout",
        "tags": [
          "Sign-in"
        ],
        "summary": "Revoke the own session",
        "description": "The token stops working at once.",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "204": {
            "description": "Revoked.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/me": {
      "get": {
        "operationId": "getMe",
        "tags": [
          "Account"
        ],
        "summary": "Show what the calling wallet is and has here",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "The wallet.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Me"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "roles": [
                    "miner",
                    "developer"
                  ],
                  "devices": 2,
                  "subscriptions": 1,
                  "developer": {
                    "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "display_name": "Ada Computing",
                    "bio": "Rendering for everybody.",
                    "website": "https://ada.example",
                    "logo": null,
                    "location": "London",
                    "social": {
                      "github": "ada"
                    },
                    "verified": true,
                    "created_at": 1793000040,
                    "updated_at": 1793000040,
                    "email": "ada@ada.example",
                    "enrollment": "active",
                    "verification": "verified",
                    "developer_type": "individual",
                    "reason": null
                  },
                  "faucet_next_eligible_at": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/me/preferences": {
      "get": {
        "operationId": "getPreferences",
        "tags": [
          "Account"
        ],
        "summary": "Read the own preferences",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "What was saved, or the empty defaults.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Preferences"
                },
                "example": {
                  "watchlist": [
                    "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
                  ],
                  "recent_searches": [
                    "image rendering"
                  ],
                  "saved_addresses": [
                    {
                      "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "label": "Cold wallet"
                    }
                  ],
                  "earnings_goal": {
                    "token": "{{token_symbol}}",
                    "amount": "5000000000000000000",
                    "period": "day"
                  },
                  "notifications": {
                    "payouts": true,
                    "slashes": true
                  },
                  "display_name": "Ada"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "put": {
        "operationId": "putPreferences",
        "tags": [
          "Account"
        ],
        "summary": "Replace the own preferences",
        "description": "The whole object is replaced; what is left out goes back to its default.",
        "security": [
          {
            "session": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PreferencesInput"
              },
              "example": {
                "watchlist": [
                  "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
                ],
                "recent_searches": [
                  "image rendering"
                ],
                "saved_addresses": [
                  {
                    "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "label": "Cold wallet"
                  }
                ],
                "earnings_goal": {
                  "token": "{{token_symbol}}",
                  "amount": "5000000000000000000",
                  "period": "day"
                },
                "notifications": {
                  "payouts": true,
                  "slashes": true
                },
                "display_name": "Ada"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As saved.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Preferences"
                },
                "example": {
                  "watchlist": [
                    "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
                  ],
                  "recent_searches": [
                    "image rendering"
                  ],
                  "saved_addresses": [
                    {
                      "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "label": "Cold wallet"
                    }
                  ],
                  "earnings_goal": {
                    "token": "{{token_symbol}}",
                    "amount": "5000000000000000000",
                    "period": "day"
                  },
                  "notifications": {
                    "payouts": true,
                    "slashes": true
                  },
                  "display_name": "Ada"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me": {
      "get": {
        "operationId": "getOwnDeveloper",
        "tags": [
          "Developers"
        ],
        "summary": "Read the own profile and where enrollment and verification stand",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "The own profile.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "put": {
        "operationId": "putOwnDeveloper",
        "tags": [
          "Developers"
        ],
        "summary": "Replace the own profile",
        "security": [
          {
            "session": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DeveloperProfile"
              },
              "example": {
                "display_name": "Ada Computing",
                "bio": "Rendering for everybody.",
                "website": "https://ada.example"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As saved.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me/enrollment": {
      "post": {
        "operationId": "enroll",
        "tags": [
          "Developers"
        ],
        "summary": "Apply as a developer",
        "description": "A rejected application can be made again. Where the hub approves by itself it is active at once.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/EnrollmentRequest"
              },
              "example": {
                "developer_type": "individual",
                "display_name": "Ada Computing",
                "email": "ada@ada.example",
                "agreements_accepted": true
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Where it stands.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me/verification": {
      "post": {
        "operationId": "requestVerification",
        "tags": [
          "Developers"
        ],
        "summary": "Ask for verification",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "Where it stands.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me/drafts": {
      "get": {
        "operationId": "listDrafts",
        "tags": [
          "Developers"
        ],
        "summary": "List the own drafts, last changed first",
        "description": "A page may be shorter than \`limit\` where drafts are large; it goes on while there is a \`next_cursor\`. A draft that is changed meanwhile moves to the first page.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DraftPage"
                },
                "example": {
                  "items": [
                    {
                      "draft_id": "my-first-project",
                      "current_step": 2,
                      "project_id": null,
                      "data": {
                        "name": "My first project"
                      },
                      "created_at": 1793000040,
                      "updated_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "post": {
        "operationId": "createDraft",
        "tags": [
          "Developers"
        ],
        "summary": "Keep a new draft",
        "description": "A wallet keeps at most 50 drafts.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DraftInput"
              },
              "example": {
                "current_step": 0,
                "data": {
                  "name": "My first project"
                }
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "As stored, under an id the hub chose.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the draft.",
                "schema": {
                  "type": "string"
                }
              },
              "ETag": {
                "description": "Names this version.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Draft"
                },
                "example": {
                  "draft_id": "my-first-project",
                  "current_step": 2,
                  "project_id": null,
                  "data": {
                    "name": "My first project"
                  },
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me/drafts/{draft_id}": {
      "get": {
        "operationId": "getDraft",
        "tags": [
          "Developers"
        ],
        "summary": "Read a draft of your own",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "draft_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[A-Za-z0-9_-]{1,64}$"
            },
            "example": "my-first-project"
          }
        ],
        "responses": {
          "200": {
            "description": "The draft.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this version.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Draft"
                },
                "example": {
                  "draft_id": "my-first-project",
                  "current_step": 2,
                  "project_id": null,
                  "data": {
                    "name": "My first project"
                  },
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "put": {
        "operationId": "putDraft",
        "tags": [
          "Developers"
        ],
        "summary": "Replace a draft, or keep a new one under an id of your choice",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "draft_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[A-Za-z0-9_-]{1,64}$"
            },
            "example": "my-first-project"
          },
          {
            "name": "If-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the version you have, or \`*\` for any; another version, or none, is answered with 409 \`conflict\`.",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "\`*\`: only create; an existing draft is answered with 409 \`conflict\`.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DraftInput"
              },
              "example": {
                "current_step": 2,
                "data": {
                  "name": "My first project"
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Replaced.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this version.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Draft"
                },
                "example": {
                  "draft_id": "my-first-project",
                  "current_step": 2,
                  "project_id": null,
                  "data": {
                    "name": "My first project"
                  },
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "201": {
            "description": "Created.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the draft.",
                "schema": {
                  "type": "string"
                }
              },
              "ETag": {
                "description": "Names this version.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Draft"
                },
                "example": {
                  "draft_id": "my-first-project",
                  "current_step": 2,
                  "project_id": null,
                  "data": {
                    "name": "My first project"
                  },
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "delete": {
        "operationId": "deleteDraft",
        "tags": [
          "Developers"
        ],
        "summary": "Delete a draft of your own",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "draft_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[A-Za-z0-9_-]{1,64}$"
            },
            "example": "my-first-project"
          },
          {
            "name": "If-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the version you have, or \`*\` for any; another version, or none, is answered with 409 \`conflict\`.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "204": {
            "description": "Deleted.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/api-keys": {
      "get": {
        "operationId": "listApiKeys",
        "tags": [
          "Developers"
        ],
        "summary": "List the own API keys, newest first",
        "description": "Revoked keys are not shown, and secrets never.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiKeyPage"
                },
                "example": {
                  "items": [
                    {
                      "key_id": "Zk3v9QpX",
                      "name": "Continuous integration",
                      "prefix": "{{api_key_prefix}}Zk3v9QpX",
                      "scopes": [
                        "modules:write"
                      ],
                      "project_ids": null,
                      "last_used_at": null,
                      "expires_at": null,
                      "created_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "post": {
        "operationId": "createApiKey",
        "tags": [
          "Developers"
        ],
        "summary": "Create an API key",
        "description": "The secret is shown once. A developer has at most 50 live keys.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiKeyInput"
              },
              "example": {
                "name": "Continuous integration",
                "scopes": [
                  "modules:write"
                ]
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The key, with its secret.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "The list it is in.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CreatedApiKey"
                },
                "example": {
                  "key_id": "Zk3v9QpX",
                  "name": "Continuous integration",
                  "prefix": "{{api_key_prefix}}Zk3v9QpX",
                  "scopes": [
                    "modules:write"
                  ],
                  "project_ids": null,
                  "last_used_at": null,
                  "expires_at": null,
                  "created_at": 1793000040,
                  "secret": "{{api_key_prefix}}Zk3v9QpX_kV0mX2uB9pQ7sT4wZ1yA6cE3gH8jL5nR0tU2vX4zB7d"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_enrolled"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/api-keys/{key_id}": {
      "delete": {
        "operationId": "revokeApiKey",
        "tags": [
          "Developers"
        ],
        "summary": "Revoke an API key",
        "description": "It stops working at once.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "key_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[A-Za-z0-9]{8}$"
            },
            "example": "Zk3v9QpX"
          }
        ],
        "responses": {
          "204": {
            "description": "Revoked.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/me/projects": {
      "get": {
        "operationId": "listOwnProjects",
        "tags": [
          "Projects"
        ],
        "summary": "List the own projects, newest first",
        "description": "In every status. A key for some projects sees those.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "projects:read"
            ]
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnProjectPage"
                },
                "example": {
                  "items": [
                    {
                      "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                      "slug": "protein-fold",
                      "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "developer_name": "Ada Computing",
                      "developer_verified": true,
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "accent_color": "#1F2E3D",
                      "listing_status": "listed",
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "token": {
                        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "symbol": "{{token_symbol}}",
                        "name": "{{token_name}}",
                        "decimals": 18
                      },
                      "reward_model": "per-unit",
                      "min_collateral": "7000000000000000000",
                      "miners": 12,
                      "avg_daily_reward_per_miner": "31000000000000000000",
                      "average_rating_x100": 450,
                      "review_count": 4,
                      "trending": false,
                      "featured": false,
                      "listed_at": 1793000040,
                      "version": 1
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_scope_missing"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/{address}": {
      "get": {
        "operationId": "getDeveloper",
        "tags": [
          "Developers"
        ],
        "summary": "Read the profile of a developer",
        "security": [],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{40}$"
            },
            "example": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The public profile.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Developer"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/modules": {
      "get": {
        "operationId": "listModules",
        "tags": [
          "Modules"
        ],
        "summary": "List modules, newest first",
        "security": [],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "developer",
            "in": "query",
            "required": false,
            "description": "Only modules this wallet uploaded.",
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{40}$"
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ModulePage"
                },
                "example": {
                  "items": [
                    {
                      "manifest_address": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "name": "vector_echo",
                      "language": "wat",
                      "functions": [
                        "echo"
                      ],
                      "manifest": {
                        "compiler": "ndsr-test-vectors/1",
                        "functions": [
                          "echo"
                        ],
                        "language": "wat",
                        "name": "vector_echo",
                        "runtime": "hive-wasm-v1",
                        "version": "1.0.0"
                      },
                      "hbc_size": 589,
                      "stateless": true,
                      "uploader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "exec_count": 0,
                      "deployed_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "post": {
        "operationId": "uploadModule",
        "tags": [
          "Modules"
        ],
        "summary": "Upload a module as base64",
        "description": "The hub checks the artifact completely and computes its address. For large artifacts \`PUT /v1/modules/{address}/hbc\` saves a third of the bytes.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "modules:write"
            ]
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ModuleUpload"
              },
              "example": {
                "hbc_b64": "UEsDBBQAAAAAAA…"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The record of the stored module.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the record.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Module"
                },
                "example": {
                  "manifest_address": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "name": "vector_echo",
                  "language": "wat",
                  "functions": [
                    "echo"
                  ],
                  "manifest": {
                    "compiler": "ndsr-test-vectors/1",
                    "functions": [
                      "echo"
                    ],
                    "language": "wat",
                    "name": "vector_echo",
                    "runtime": "hive-wasm-v1",
                    "version": "1.0.0"
                  },
                  "hbc_size": 589,
                  "stateless": true,
                  "uploader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "exec_count": 0,
                  "deployed_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_scope_missing"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_already_exists"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/modules/{address}/hbc": {
      "put": {
        "operationId": "uploadModuleBytes",
        "tags": [
          "Modules"
        ],
        "summary": "Upload a module as bytes",
        "description": "The same checks as the base64 form; the computed address must be the one in the path.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "modules:write"
            ]
          }
        ],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "description": "Manifest address of the module.",
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454"
          }
        ],
        "requestBody": {
          "required": true,
          "description": "The bytes of the \`.hbc\` file.",
          "content": {
            "application/octet-stream": {
              "schema": {}
            }
          }
        },
        "responses": {
          "201": {
            "description": "The record of the stored module.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the record.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Module"
                },
                "example": {
                  "manifest_address": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "name": "vector_echo",
                  "language": "wat",
                  "functions": [
                    "echo"
                  ],
                  "manifest": {
                    "compiler": "ndsr-test-vectors/1",
                    "functions": [
                      "echo"
                    ],
                    "language": "wat",
                    "name": "vector_echo",
                    "runtime": "hive-wasm-v1",
                    "version": "1.0.0"
                  },
                  "hbc_size": 589,
                  "stateless": true,
                  "uploader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "exec_count": 0,
                  "deployed_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_scope_missing"
          },
          "409": {
            "$ref": "#/components/responses/already_exists"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/invalid_manifest"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "get": {
        "operationId": "downloadModule",
        "tags": [
          "Modules"
        ],
        "summary": "Download the artifact of a module",
        "description": "The bytes as they were uploaded. One byte range can be asked for with \`Range\`.",
        "security": [],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "description": "Manifest address of the module.",
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454"
          },
          {
            "name": "Range",
            "in": "header",
            "required": false,
            "description": "One range of bytes, e.g. \`bytes=0-1023\`.",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "If-Range",
            "in": "header",
            "required": false,
            "description": "The ETag the range belongs to; another one is answered with the whole artifact.",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The whole artifact.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              },
              "X-Manifest-Address": {
                "description": "Address of the module.",
                "schema": {
                  "type": "string"
                }
              },
              "Accept-Ranges": {
                "description": "Always \`bytes\`.",
                "schema": {
                  "type": "string"
                }
              },
              "Content-Length": {
                "description": "Size of the artifact.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/octet-stream": {
                "schema": {}
              }
            }
          },
          "206": {
            "description": "The range that was asked for.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "X-Manifest-Address": {
                "description": "Address of the module.",
                "schema": {
                  "type": "string"
                }
              },
              "Content-Range": {
                "description": "Where the bytes belong.",
                "schema": {
                  "type": "string"
                }
              },
              "Content-Length": {
                "description": "Size of the range.",
                "schema": {
                  "type": "string"
                }
              },
              "ETag": {
                "description": "Names the whole artifact.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/octet-stream": {
                "schema": {}
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "416": {
            "description": "The range begins past the end (\`invalid_field\`).",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Content-Range": {
                "description": "The size of the artifact.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error"
                },
                "examples": {
                  "invalid_field": {
                    "value": {
                      "error": "invalid_field",
                      "message": "A field, parameter or header is wrong.",
                      "details": {
                        "problems": [
                          {
                            "path": "address",
                            "code": "missing",
                            "message": "is required (string)"
                          }
                        ]
                      },
                      "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                    }
                  }
                }
              }
            }
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/modules/{address}": {
      "get": {
        "operationId": "getModule",
        "tags": [
          "Modules"
        ],
        "summary": "Read the record of a module",
        "security": [],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "description": "Manifest address of the module.",
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The record.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Module"
                },
                "example": {
                  "manifest_address": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "name": "vector_echo",
                  "language": "wat",
                  "functions": [
                    "echo"
                  ],
                  "manifest": {
                    "compiler": "ndsr-test-vectors/1",
                    "functions": [
                      "echo"
                    ],
                    "language": "wat",
                    "name": "vector_echo",
                    "runtime": "hive-wasm-v1",
                    "version": "1.0.0"
                  },
                  "hbc_size": 589,
                  "stateless": true,
                  "uploader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "exec_count": 0,
                  "deployed_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/projects/prepare": {
      "post": {
        "operationId": "prepareProject",
        "tags": [
          "Projects"
        ],
        "summary": "Check a manifest and learn what to sign",
        "description": "Stores nothing. Answers 200 for a manifest with problems too, and lists all of them.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "projects:write"
            ]
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ManifestInput"
              },
              "example": {
                "manifest": {
                  "v": 1,
                  "network": "{{network}}",
                  "chain_id": 31337,
                  "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "slug": "protein-fold",
                  "version": 1,
                  "previous": null,
                  "consensus": {
                    "modules": {
                      "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "verifier": null
                    },
                    "work": {
                      "class": "deterministic",
                      "verification": "redundant-execution",
                      "execution": "committee",
                      "functions": [
                        "fold"
                      ],
                      "task_source": {
                        "kind": "api"
                      },
                      "max_gas_limit": 250000000,
                      "committee": {
                        "size": 5,
                        "min_size": 3,
                        "backups": 2,
                        "selection": "collateral-reputation-sortition-v1",
                        "weight_cap_multiple": 6
                      },
                      "round_secs": 90,
                      "lease_secs": 30,
                      "epoch_secs": 10800,
                      "dispute_window_secs": 86400
                    },
                    "economics": {
                      "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "max_units_per_epoch": 900000,
                      "max_recipients_per_epoch": 64,
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      }
                    }
                  },
                  "scheduling": {
                    "public_tasks": false,
                    "requirements": {
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "cpu_cores": 2,
                      "ram_mb": 2048,
                      "storage_mb": 512,
                      "min_benchmark": 80,
                      "gpu": null,
                      "engines": [
                        "native"
                      ],
                      "attestation": []
                    },
                    "sla": {
                      "max_latency_ms": 20000,
                      "min_uptime_bp": 8500
                    }
                  },
                  "listing": {
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "description": "Folds short chains.",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "banner": null,
                    "video": null,
                    "website": "https://fold.example.com",
                    "docs": null,
                    "support": null,
                    "screenshots": [],
                    "features": [
                      "Energy in millijoule"
                    ],
                    "accent_color": "#1F2E3D"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What is wrong with it, or what to sign.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PreparedManifest"
                },
                "example": {
                  "valid": true,
                  "problems": [],
                  "canonical": "{\\"chain_id\\":31337,\\"consensus\\":{\\"economics\\":{…}},…}",
                  "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                  "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                  "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                  "tier_changes": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_scope_missing"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/projects": {
      "post": {
        "operationId": "createProject",
        "tags": [
          "Projects"
        ],
        "summary": "Submit the first version of a project",
        "description": "The project is \`submitted\` until its registration is on the chain, then \`pending_review\`. The same signed manifest again, while it is \`submitted\`, is answered with fresh payloads.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "projects:write"
            ]
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedManifestInput"
              },
              "example": {
                "manifest": {
                  "v": 1,
                  "network": "{{network}}",
                  "chain_id": 31337,
                  "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "slug": "protein-fold",
                  "version": 1,
                  "previous": null,
                  "consensus": {
                    "modules": {
                      "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "verifier": null
                    },
                    "work": {
                      "class": "deterministic",
                      "verification": "redundant-execution",
                      "execution": "committee",
                      "functions": [
                        "fold"
                      ],
                      "task_source": {
                        "kind": "api"
                      },
                      "max_gas_limit": 250000000,
                      "committee": {
                        "size": 5,
                        "min_size": 3,
                        "backups": 2,
                        "selection": "collateral-reputation-sortition-v1",
                        "weight_cap_multiple": 6
                      },
                      "round_secs": 90,
                      "lease_secs": 30,
                      "epoch_secs": 10800,
                      "dispute_window_secs": 86400
                    },
                    "economics": {
                      "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "max_units_per_epoch": 900000,
                      "max_recipients_per_epoch": 64,
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      }
                    }
                  },
                  "scheduling": {
                    "public_tasks": false,
                    "requirements": {
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "cpu_cores": 2,
                      "ram_mb": 2048,
                      "storage_mb": 512,
                      "min_benchmark": 80,
                      "gpu": null,
                      "engines": [
                        "native"
                      ],
                      "attestation": []
                    },
                    "sla": {
                      "max_latency_ms": 20000,
                      "min_uptime_bp": 8500
                    }
                  },
                  "listing": {
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "description": "Folds short chains.",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "banner": null,
                    "video": null,
                    "website": "https://fold.example.com",
                    "docs": null,
                    "support": null,
                    "screenshots": [],
                    "features": [
                      "Energy in millijoule"
                    ],
                    "accent_color": "#1F2E3D"
                  }
                },
                "sig_type": "eip191",
                "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
                "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "This signed manifest was stored before and is not registered yet.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Registration"
                },
                "example": {
                  "project": {
                    "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                    "slug": "protein-fold",
                    "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "developer_name": "Ada Computing",
                    "developer_verified": true,
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "accent_color": "#1F2E3D",
                    "listing_status": "submitted",
                    "device_classes": [
                      "desktop",
                      "server"
                    ],
                    "token": {
                      "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "symbol": "{{token_symbol}}",
                      "name": "{{token_name}}",
                      "decimals": 18
                    },
                    "reward_model": "per-unit",
                    "min_collateral": "7000000000000000000",
                    "miners": 12,
                    "avg_daily_reward_per_miner": "31000000000000000000",
                    "average_rating_x100": 450,
                    "review_count": 4,
                    "trending": false,
                    "featured": false,
                    "version": 1,
                    "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "pending_version": null,
                    "consensus": {
                      "modules": {
                        "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "verifier": null
                      },
                      "work": {
                        "class": "deterministic",
                        "verification": "redundant-execution",
                        "execution": "committee",
                        "functions": [
                          "fold"
                        ],
                        "task_source": {
                          "kind": "api"
                        },
                        "max_gas_limit": 250000000,
                        "committee": {
                          "size": 5,
                          "min_size": 3,
                          "backups": 2,
                          "selection": "collateral-reputation-sortition-v1",
                          "weight_cap_multiple": 6
                        },
                        "round_secs": 90,
                        "lease_secs": 30,
                        "epoch_secs": 10800,
                        "dispute_window_secs": 86400
                      },
                      "economics": {
                        "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                        "reward_model": "per-unit",
                        "reward_per_unit": "1750000000000000",
                        "daily_emission": "512000000000000000000",
                        "fee_split_bp": {
                          "miner": 7600,
                          "developer": 1900,
                          "treasury": 500
                        },
                        "max_units_per_epoch": 900000,
                        "max_recipients_per_epoch": 64,
                        "min_collateral": "7000000000000000000",
                        "slashing_bp": {
                          "invalid_result": 2500,
                          "missed_sla": 120
                        }
                      }
                    },
                    "scheduling": {
                      "public_tasks": false,
                      "requirements": {
                        "device_classes": [
                          "desktop",
                          "server"
                        ],
                        "cpu_cores": 2,
                        "ram_mb": 2048,
                        "storage_mb": 512,
                        "min_benchmark": 80,
                        "gpu": null,
                        "engines": [
                          "native"
                        ],
                        "attestation": []
                      },
                      "sla": {
                        "max_latency_ms": 20000,
                        "min_uptime_bp": 8500
                      }
                    },
                    "listing": {
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "description": "Folds short chains.",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "banner": null,
                      "video": null,
                      "website": "https://fold.example.com",
                      "docs": null,
                      "support": null,
                      "screenshots": [],
                      "features": [
                        "Energy in millijoule"
                      ],
                      "accent_color": "#1F2E3D"
                    },
                    "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                    "stats": {
                      "period": "24h",
                      "miners_subscribed": 12,
                      "miners_active": 11,
                      "devices_by_class": {
                        "desktop": 9,
                        "server": 3
                      },
                      "rounds": 960,
                      "rounds_finalized": 951,
                      "rounds_fallback": 9,
                      "units": 2880,
                      "paid_to_miners": "341000000000000000000",
                      "avg_daily_reward_per_miner": "31000000000000000000",
                      "median_finality_ms": 4200,
                      "uptime_bp": 9900,
                      "slashes": 0,
                      "growth_bp": 1000
                    },
                    "review": {
                      "status": "pending",
                      "reason": null,
                      "conditions": [],
                      "decided_at": null
                    },
                    "economics": {
                      "token": {
                        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "symbol": "{{token_symbol}}",
                        "name": "{{token_name}}",
                        "decimals": 18
                      },
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "epoch_cap": "64000000000000000000",
                      "epoch_secs": 10800,
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      },
                      "dispute_window_secs": 86400,
                      "vault": {
                        "address": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                        "deployed": true,
                        "config_matches_manifest": true,
                        "balance": "5120000000000000000000",
                        "reserved": "64000000000000000000",
                        "total_paid": "0",
                        "pending_withdrawal": "0",
                        "runway_epochs": 79,
                        "runway_days": 9
                      },
                      "created_at": 1793000040
                    }
                  },
                  "register_tx": {
                    "chain_id": 31337,
                    "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
                    "data": "0x6530c43000000000000000000000000000000000000000000000000000000000000000808a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b4542d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a000000000000000000000000000000000000000000000000000000000000000c70726f7465696e2d666f6c640000000000000000000000000000000000000000",
                    "value": "0",
                    "description": "Registers the project with its first version."
                  },
                  "register_by_sig": {
                    "action": "register_project",
                    "typed_data": {
                      "domain": {
                        "name": "{{service}} ProjectRegistry",
                        "version": "1",
                        "chainId": 31337,
                        "verifyingContract": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
                      },
                      "types": {
                        "EIP712Domain": [
                          {
                            "name": "name",
                            "type": "string"
                          },
                          {
                            "name": "version",
                            "type": "string"
                          },
                          {
                            "name": "chainId",
                            "type": "uint256"
                          },
                          {
                            "name": "verifyingContract",
                            "type": "address"
                          }
                        ],
                        "Register": [
                          {
                            "name": "developer",
                            "type": "address"
                          },
                          {
                            "name": "slug",
                            "type": "string"
                          },
                          {
                            "name": "worker",
                            "type": "bytes32"
                          },
                          {
                            "name": "consensusHash",
                            "type": "bytes32"
                          },
                          {
                            "name": "manifestHash",
                            "type": "bytes32"
                          },
                          {
                            "name": "nonce",
                            "type": "uint256"
                          },
                          {
                            "name": "deadline",
                            "type": "uint256"
                          }
                        ]
                      },
                      "primaryType": "Register",
                      "message": {
                        "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                        "slug": "protein-fold",
                        "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "consensusHash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                        "manifestHash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                        "nonce": "0",
                        "deadline": "1793003640"
                      }
                    },
                    "expires_at": 1793003640
                  }
                }
              }
            }
          },
          "201": {
            "description": "Stored, with the two ways to register it on the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the project.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Registration"
                },
                "example": {
                  "project": {
                    "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                    "slug": "protein-fold",
                    "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "developer_name": "Ada Computing",
                    "developer_verified": true,
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "accent_color": "#1F2E3D",
                    "listing_status": "submitted",
                    "device_classes": [
                      "desktop",
                      "server"
                    ],
                    "token": {
                      "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "symbol": "{{token_symbol}}",
                      "name": "{{token_name}}",
                      "decimals": 18
                    },
                    "reward_model": "per-unit",
                    "min_collateral": "7000000000000000000",
                    "miners": 12,
                    "avg_daily_reward_per_miner": "31000000000000000000",
                    "average_rating_x100": 450,
                    "review_count": 4,
                    "trending": false,
                    "featured": false,
                    "version": 1,
                    "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "pending_version": null,
                    "consensus": {
                      "modules": {
                        "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "verifier": null
                      },
                      "work": {
                        "class": "deterministic",
                        "verification": "redundant-execution",
                        "execution": "committee",
                        "functions": [
                          "fold"
                        ],
                        "task_source": {
                          "kind": "api"
                        },
                        "max_gas_limit": 250000000,
                        "committee": {
                          "size": 5,
                          "min_size": 3,
                          "backups": 2,
                          "selection": "collateral-reputation-sortition-v1",
                          "weight_cap_multiple": 6
                        },
                        "round_secs": 90,
                        "lease_secs": 30,
                        "epoch_secs": 10800,
                        "dispute_window_secs": 86400
                      },
                      "economics": {
                        "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                        "reward_model": "per-unit",
                        "reward_per_unit": "1750000000000000",
                        "daily_emission": "512000000000000000000",
                        "fee_split_bp": {
                          "miner": 7600,
                          "developer": 1900,
                          "treasury": 500
                        },
                        "max_units_per_epoch": 900000,
                        "max_recipients_per_epoch": 64,
                        "min_collateral": "7000000000000000000",
                        "slashing_bp": {
                          "invalid_result": 2500,
                          "missed_sla": 120
                        }
                      }
                    },
                    "scheduling": {
                      "public_tasks": false,
                      "requirements": {
                        "device_classes": [
                          "desktop",
                          "server"
                        ],
                        "cpu_cores": 2,
                        "ram_mb": 2048,
                        "storage_mb": 512,
                        "min_benchmark": 80,
                        "gpu": null,
                        "engines": [
                          "native"
                        ],
                        "attestation": []
                      },
                      "sla": {
                        "max_latency_ms": 20000,
                        "min_uptime_bp": 8500
                      }
                    },
                    "listing": {
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "description": "Folds short chains.",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "banner": null,
                      "video": null,
                      "website": "https://fold.example.com",
                      "docs": null,
                      "support": null,
                      "screenshots": [],
                      "features": [
                        "Energy in millijoule"
                      ],
                      "accent_color": "#1F2E3D"
                    },
                    "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                    "stats": {
                      "period": "24h",
                      "miners_subscribed": 12,
                      "miners_active": 11,
                      "devices_by_class": {
                        "desktop": 9,
                        "server": 3
                      },
                      "rounds": 960,
                      "rounds_finalized": 951,
                      "rounds_fallback": 9,
                      "units": 2880,
                      "paid_to_miners": "341000000000000000000",
                      "avg_daily_reward_per_miner": "31000000000000000000",
                      "median_finality_ms": 4200,
                      "uptime_bp": 9900,
                      "slashes": 0,
                      "growth_bp": 1000
                    },
                    "review": {
                      "status": "pending",
                      "reason": null,
                      "conditions": [],
                      "decided_at": null
                    },
                    "economics": {
                      "token": {
                        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "symbol": "{{token_symbol}}",
                        "name": "{{token_name}}",
                        "decimals": 18
                      },
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "epoch_cap": "64000000000000000000",
                      "epoch_secs": 10800,
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      },
                      "dispute_window_secs": 86400,
                      "vault": {
                        "address": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                        "deployed": true,
                        "config_matches_manifest": true,
                        "balance": "5120000000000000000000",
                        "reserved": "64000000000000000000",
                        "total_paid": "0",
                        "pending_withdrawal": "0",
                        "runway_epochs": 79,
                        "runway_days": 9
                      },
                      "created_at": 1793000040
                    }
                  },
                  "register_tx": {
                    "chain_id": 31337,
                    "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
                    "data": "0x6530c43000000000000000000000000000000000000000000000000000000000000000808a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b4542d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a000000000000000000000000000000000000000000000000000000000000000c70726f7465696e2d666f6c640000000000000000000000000000000000000000",
                    "value": "0",
                    "description": "Registers the project with its first version."
                  },
                  "register_by_sig": {
                    "action": "register_project",
                    "typed_data": {
                      "domain": {
                        "name": "{{service}} ProjectRegistry",
                        "version": "1",
                        "chainId": 31337,
                        "verifyingContract": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
                      },
                      "types": {
                        "EIP712Domain": [
                          {
                            "name": "name",
                            "type": "string"
                          },
                          {
                            "name": "version",
                            "type": "string"
                          },
                          {
                            "name": "chainId",
                            "type": "uint256"
                          },
                          {
                            "name": "verifyingContract",
                            "type": "address"
                          }
                        ],
                        "Register": [
                          {
                            "name": "developer",
                            "type": "address"
                          },
                          {
                            "name": "slug",
                            "type": "string"
                          },
                          {
                            "name": "worker",
                            "type": "bytes32"
                          },
                          {
                            "name": "consensusHash",
                            "type": "bytes32"
                          },
                          {
                            "name": "manifestHash",
                            "type": "bytes32"
                          },
                          {
                            "name": "nonce",
                            "type": "uint256"
                          },
                          {
                            "name": "deadline",
                            "type": "uint256"
                          }
                        ]
                      },
                      "primaryType": "Register",
                      "message": {
                        "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                        "slug": "protein-fold",
                        "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "consensusHash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                        "manifestHash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                        "nonce": "0",
                        "deadline": "1793003640"
                      }
                    },
                    "expires_at": 1793003640
                  }
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner_or_not_enrolled_or_not_verified_or_scope_missing"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_already_exists"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature_or_invalid_manifest"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/projects/{project_id}/register": {
      "post": {
        "operationId": "registerProject",
        "tags": [
          "Projects"
        ],
        "summary": "Register a submitted project by signature",
        "description": "Takes \`register_by_sig\` of the submission with its signature, and sends it to the registry. The project is \`pending_review\` once the registration is indexed.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedGaslessBody"
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} ProjectRegistry",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "Register": [
                      {
                        "name": "developer",
                        "type": "address"
                      },
                      {
                        "name": "slug",
                        "type": "string"
                      },
                      {
                        "name": "worker",
                        "type": "bytes32"
                      },
                      {
                        "name": "consensusHash",
                        "type": "bytes32"
                      },
                      {
                        "name": "manifestHash",
                        "type": "bytes32"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "Register",
                  "message": {
                    "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "slug": "protein-fold",
                    "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                    "consensusHash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "manifestHash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "register_project",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/projects/{project_id}/versions": {
      "post": {
        "operationId": "createProjectVersion",
        "tags": [
          "Projects"
        ],
        "summary": "Submit the next version of a project",
        "description": "A version that leaves \`consensus\` as it is in force is active at once. One that changes it is \`submitted\` until it is published on the chain, and active from the epoch that follows from that.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "projects:write"
            ]
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedManifestInput"
              },
              "example": {
                "manifest": {
                  "v": 1,
                  "network": "{{network}}",
                  "chain_id": 31337,
                  "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "slug": "protein-fold",
                  "version": 2,
                  "previous": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus": {
                    "modules": {
                      "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "verifier": null
                    },
                    "work": {
                      "class": "deterministic",
                      "verification": "redundant-execution",
                      "execution": "committee",
                      "functions": [
                        "fold"
                      ],
                      "task_source": {
                        "kind": "api"
                      },
                      "max_gas_limit": 250000000,
                      "committee": {
                        "size": 5,
                        "min_size": 3,
                        "backups": 2,
                        "selection": "collateral-reputation-sortition-v1",
                        "weight_cap_multiple": 6
                      },
                      "round_secs": 90,
                      "lease_secs": 30,
                      "epoch_secs": 10800,
                      "dispute_window_secs": 86400
                    },
                    "economics": {
                      "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "max_units_per_epoch": 900000,
                      "max_recipients_per_epoch": 64,
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      }
                    }
                  },
                  "scheduling": {
                    "public_tasks": false,
                    "requirements": {
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "cpu_cores": 2,
                      "ram_mb": 2048,
                      "storage_mb": 512,
                      "min_benchmark": 80,
                      "gpu": null,
                      "engines": [
                        "native"
                      ],
                      "attestation": []
                    },
                    "sla": {
                      "max_latency_ms": 20000,
                      "min_uptime_bp": 8500
                    }
                  },
                  "listing": {
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "description": "Folds short chains.",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "banner": null,
                    "video": null,
                    "website": "https://fold.example.com",
                    "docs": null,
                    "support": null,
                    "screenshots": [],
                    "features": [
                      "Energy in millijoule"
                    ],
                    "accent_color": "#1F2E3D"
                  }
                },
                "sig_type": "eip191",
                "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
                "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "Stored.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the version.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/SubmittedVersion"
                },
                "example": {
                  "version": {
                    "version": 2,
                    "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "tiers_changed": [
                      "listing"
                    ],
                    "status": "active",
                    "effective_epoch": null,
                    "submitted_at": 1793000040
                  },
                  "publish_tx": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner_or_not_enrolled_or_not_verified_or_scope_missing"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature_or_invalid_manifest"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/projects/{project_id}/versions/{version}/publish": {
      "post": {
        "operationId": "publishProjectVersion",
        "tags": [
          "Projects"
        ],
        "summary": "Publish a version that changes the consensus",
        "description": "Without a signed body the answer is what to sign; with one it is relayed. The version is \`registered\` once its publication is indexed, and active from \`effective_epoch\`.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "version",
            "in": "path",
            "required": true,
            "schema": {
              "type": "integer",
              "minimum": 1
            },
            "example": "2"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedGaslessBody"
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} ProjectRegistry",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "PublishVersion": [
                      {
                        "name": "developer",
                        "type": "address"
                      },
                      {
                        "name": "projectId",
                        "type": "bytes32"
                      },
                      {
                        "name": "version",
                        "type": "uint32"
                      },
                      {
                        "name": "consensusHash",
                        "type": "bytes32"
                      },
                      {
                        "name": "manifestHash",
                        "type": "bytes32"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "PublishVersion",
                  "message": {
                    "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "projectId": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                    "version": 2,
                    "consensusHash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "manifestHash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What the owner signs and posts back.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/GaslessPayload"
                },
                "example": {
                  "action": "publish_version",
                  "typed_data": {
                    "domain": {
                      "name": "{{service}} ProjectRegistry",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "PublishVersion": [
                        {
                          "name": "developer",
                          "type": "address"
                        },
                        {
                          "name": "projectId",
                          "type": "bytes32"
                        },
                        {
                          "name": "version",
                          "type": "uint32"
                        },
                        {
                          "name": "consensusHash",
                          "type": "bytes32"
                        },
                        {
                          "name": "manifestHash",
                          "type": "bytes32"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "PublishVersion",
                    "message": {
                      "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "projectId": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                      "version": 2,
                      "consensusHash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                      "manifestHash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  },
                  "expires_at": 1793003640
                }
              }
            }
          },
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "publish_version",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/developers/assets": {
      "post": {
        "operationId": "uploadAsset",
        "tags": [
          "Projects"
        ],
        "summary": "Store an image for listings",
        "description": "A still PNG, JPEG or WebP of at most 2 MiB and 4096×4096 pixels, whole and with nothing around it. Metadata is removed; colour profile and orientation stay.",
        "security": [
          {
            "session": []
          },
          {
            "apiKey": [
              "projects:write"
            ]
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AssetInput"
              },
              "example": {
                "content_type": "image/png",
                "data_b64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The same image was stored before.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Asset"
                },
                "example": {
                  "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                  "url": "{{base_url}}/v1/assets/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                }
              }
            }
          },
          "201": {
            "description": "Stored.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Path of the image.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Asset"
                },
                "example": {
                  "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                  "url": "{{base_url}}/v1/assets/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_scope_missing"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/assets/{sha256}": {
      "get": {
        "operationId": "getAsset",
        "tags": [
          "Projects"
        ],
        "summary": "Read an image",
        "security": [],
        "parameters": [
          {
            "name": "sha256",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[0-9a-f]{64}$"
            },
            "example": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The image, as nothing but an image.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              },
              "Content-Security-Policy": {
                "description": "Lets the image run and load nothing.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "image/png": {
                "schema": {}
              },
              "image/jpeg": {
                "schema": {}
              },
              "image/webp": {
                "schema": {}
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects": {
      "get": {
        "operationId": "listProjects",
        "tags": [
          "Projects"
        ],
        "summary": "Find projects",
        "description": "Every word of \`q\` has to begin a word of name, tagline or tags. Filters add up. Of more than 1000 projects that fit \`q\` or \`tag\`, orders other than newest show the newest 1000. Projects that are not listed are for their developer and for operators.",
        "security": [],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "q",
            "in": "query",
            "required": false,
            "description": "Words to search for.",
            "schema": {
              "type": "string",
              "maxLength": 100
            }
          },
          {
            "name": "category",
            "in": "query",
            "required": false,
            "schema": {
              "type": "string",
              "enum": [
                "blockchain",
                "depin",
                "machine-learning",
                "storage",
                "compute",
                "bandwidth",
                "data-sovereignty",
                "iot",
                "hardware-staking",
                "content-delivery"
              ]
            }
          },
          {
            "name": "tag",
            "in": "query",
            "required": false,
            "description": "Exactly this tag.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 32
            }
          },
          {
            "name": "device_class",
            "in": "query",
            "required": false,
            "schema": {
              "type": "string",
              "enum": [
                "desktop",
                "laptop",
                "phone",
                "server",
                "tablet"
              ]
            }
          },
          {
            "name": "developer",
            "in": "query",
            "required": false,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{40}$"
            }
          },
          {
            "name": "status",
            "in": "query",
            "required": false,
            "schema": {
              "default": "listed",
              "type": "string",
              "enum": [
                "draft",
                "submitted",
                "pending_review",
                "listed",
                "paused",
                "underfunded",
                "rejected",
                "delisted"
              ]
            }
          },
          {
            "name": "sort",
            "in": "query",
            "required": false,
            "schema": {
              "default": "newest",
              "type": "string",
              "enum": [
                "trending",
                "newest",
                "miners",
                "earnings",
                "rating",
                "name"
              ]
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectPage"
                },
                "example": {
                  "items": [
                    {
                      "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                      "slug": "protein-fold",
                      "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "developer_name": "Ada Computing",
                      "developer_verified": true,
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "accent_color": "#1F2E3D",
                      "listing_status": "listed",
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "token": {
                        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "symbol": "{{token_symbol}}",
                        "name": "{{token_name}}",
                        "decimals": 18
                      },
                      "reward_model": "per-unit",
                      "min_collateral": "7000000000000000000",
                      "miners": 12,
                      "avg_daily_reward_per_miner": "31000000000000000000",
                      "average_rating_x100": 450,
                      "review_count": 4,
                      "trending": false,
                      "featured": false,
                      "listed_at": 1793000040,
                      "version": 1
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}": {
      "get": {
        "operationId": "getProject",
        "tags": [
          "Projects"
        ],
        "summary": "Read a project",
        "description": "Public while it is listed, paused, underfunded or delisted; else its developer and operators see it.",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The project.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Project"
                },
                "example": {
                  "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                  "slug": "protein-fold",
                  "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "developer_name": "Ada Computing",
                  "developer_verified": true,
                  "name": "Protein Fold",
                  "tagline": "Shapes from sequences",
                  "category": "machine-learning",
                  "tags": [
                    "biology"
                  ],
                  "icon": "https://assets.example.com/fold.png",
                  "accent_color": "#1F2E3D",
                  "listing_status": "listed",
                  "device_classes": [
                    "desktop",
                    "server"
                  ],
                  "token": {
                    "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                    "symbol": "{{token_symbol}}",
                    "name": "{{token_name}}",
                    "decimals": 18
                  },
                  "reward_model": "per-unit",
                  "min_collateral": "7000000000000000000",
                  "miners": 12,
                  "avg_daily_reward_per_miner": "31000000000000000000",
                  "average_rating_x100": 450,
                  "review_count": 4,
                  "trending": false,
                  "featured": false,
                  "listed_at": 1793000040,
                  "version": 1,
                  "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                  "pending_version": null,
                  "consensus": {
                    "modules": {
                      "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "verifier": null
                    },
                    "work": {
                      "class": "deterministic",
                      "verification": "redundant-execution",
                      "execution": "committee",
                      "functions": [
                        "fold"
                      ],
                      "task_source": {
                        "kind": "api"
                      },
                      "max_gas_limit": 250000000,
                      "committee": {
                        "size": 5,
                        "min_size": 3,
                        "backups": 2,
                        "selection": "collateral-reputation-sortition-v1",
                        "weight_cap_multiple": 6
                      },
                      "round_secs": 90,
                      "lease_secs": 30,
                      "epoch_secs": 10800,
                      "dispute_window_secs": 86400
                    },
                    "economics": {
                      "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "max_units_per_epoch": 900000,
                      "max_recipients_per_epoch": 64,
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      }
                    }
                  },
                  "scheduling": {
                    "public_tasks": false,
                    "requirements": {
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "cpu_cores": 2,
                      "ram_mb": 2048,
                      "storage_mb": 512,
                      "min_benchmark": 80,
                      "gpu": null,
                      "engines": [
                        "native"
                      ],
                      "attestation": []
                    },
                    "sla": {
                      "max_latency_ms": 20000,
                      "min_uptime_bp": 8500
                    }
                  },
                  "listing": {
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "description": "Folds short chains.",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "banner": null,
                    "video": null,
                    "website": "https://fold.example.com",
                    "docs": null,
                    "support": null,
                    "screenshots": [],
                    "features": [
                      "Energy in millijoule"
                    ],
                    "accent_color": "#1F2E3D"
                  },
                  "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                  "registry_tx": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "stats": {
                    "period": "24h",
                    "miners_subscribed": 12,
                    "miners_active": 11,
                    "devices_by_class": {
                      "desktop": 9,
                      "server": 3
                    },
                    "rounds": 960,
                    "rounds_finalized": 951,
                    "rounds_fallback": 9,
                    "units": 2880,
                    "paid_to_miners": "341000000000000000000",
                    "avg_daily_reward_per_miner": "31000000000000000000",
                    "median_finality_ms": 4200,
                    "uptime_bp": 9900,
                    "slashes": 0,
                    "growth_bp": 1000
                  },
                  "review": {
                    "status": "approved",
                    "reason": null,
                    "conditions": [],
                    "decided_at": 1793000040
                  },
                  "economics": {
                    "token": {
                      "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "symbol": "{{token_symbol}}",
                      "name": "{{token_name}}",
                      "decimals": 18
                    },
                    "reward_model": "per-unit",
                    "reward_per_unit": "1750000000000000",
                    "daily_emission": "512000000000000000000",
                    "epoch_cap": "64000000000000000000",
                    "epoch_secs": 10800,
                    "fee_split_bp": {
                      "miner": 7600,
                      "developer": 1900,
                      "treasury": 500
                    },
                    "min_collateral": "7000000000000000000",
                    "slashing_bp": {
                      "invalid_result": 2500,
                      "missed_sla": 120
                    },
                    "dispute_window_secs": 86400,
                    "vault": {
                      "address": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "deployed": true,
                      "config_matches_manifest": true,
                      "balance": "5120000000000000000000",
                      "reserved": "64000000000000000000",
                      "total_paid": "0",
                      "pending_withdrawal": "0",
                      "runway_epochs": 79,
                      "runway_days": 9
                    },
                    "created_at": 1793000040
                  }
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/manifest": {
      "get": {
        "operationId": "getProjectManifest",
        "tags": [
          "Projects"
        ],
        "summary": "Read the signed manifest in force",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "As its developer signed it.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/SignedManifest"
                },
                "example": {
                  "manifest": {
                    "v": 1,
                    "network": "{{network}}",
                    "chain_id": 31337,
                    "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "slug": "protein-fold",
                    "version": 1,
                    "previous": null,
                    "consensus": {
                      "modules": {
                        "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "verifier": null
                      },
                      "work": {
                        "class": "deterministic",
                        "verification": "redundant-execution",
                        "execution": "committee",
                        "functions": [
                          "fold"
                        ],
                        "task_source": {
                          "kind": "api"
                        },
                        "max_gas_limit": 250000000,
                        "committee": {
                          "size": 5,
                          "min_size": 3,
                          "backups": 2,
                          "selection": "collateral-reputation-sortition-v1",
                          "weight_cap_multiple": 6
                        },
                        "round_secs": 90,
                        "lease_secs": 30,
                        "epoch_secs": 10800,
                        "dispute_window_secs": 86400
                      },
                      "economics": {
                        "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                        "reward_model": "per-unit",
                        "reward_per_unit": "1750000000000000",
                        "daily_emission": "512000000000000000000",
                        "fee_split_bp": {
                          "miner": 7600,
                          "developer": 1900,
                          "treasury": 500
                        },
                        "max_units_per_epoch": 900000,
                        "max_recipients_per_epoch": 64,
                        "min_collateral": "7000000000000000000",
                        "slashing_bp": {
                          "invalid_result": 2500,
                          "missed_sla": 120
                        }
                      }
                    },
                    "scheduling": {
                      "public_tasks": false,
                      "requirements": {
                        "device_classes": [
                          "desktop",
                          "server"
                        ],
                        "cpu_cores": 2,
                        "ram_mb": 2048,
                        "storage_mb": 512,
                        "min_benchmark": 80,
                        "gpu": null,
                        "engines": [
                          "native"
                        ],
                        "attestation": []
                      },
                      "sla": {
                        "max_latency_ms": 20000,
                        "min_uptime_bp": 8500
                      }
                    },
                    "listing": {
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "description": "Folds short chains.",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "banner": null,
                      "video": null,
                      "website": "https://fold.example.com",
                      "docs": null,
                      "support": null,
                      "screenshots": [],
                      "features": [
                        "Energy in millijoule"
                      ],
                      "accent_color": "#1F2E3D"
                    }
                  },
                  "sig_type": "eip191",
                  "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
                  "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                  "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/versions": {
      "get": {
        "operationId": "listProjectVersions",
        "tags": [
          "Projects"
        ],
        "summary": "List the versions of a project, newest first",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectVersionPage"
                },
                "example": {
                  "items": [
                    {
                      "version": 2,
                      "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                      "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                      "tiers_changed": [
                        "consensus"
                      ],
                      "status": "submitted",
                      "effective_epoch": null,
                      "submitted_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/versions/{version}": {
      "get": {
        "operationId": "getProjectVersion",
        "tags": [
          "Projects"
        ],
        "summary": "Read a version of a project with its signed manifest",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "version",
            "in": "path",
            "required": true,
            "schema": {
              "type": "integer",
              "minimum": 1
            },
            "example": "2"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The version.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectVersionDetail"
                },
                "example": {
                  "version": 2,
                  "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                  "tiers_changed": [
                    "consensus"
                  ],
                  "status": "submitted",
                  "effective_epoch": null,
                  "submitted_at": 1793000040,
                  "signed_manifest": {
                    "manifest": {
                      "v": 1,
                      "network": "{{network}}",
                      "chain_id": 31337,
                      "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "slug": "protein-fold",
                      "version": 1,
                      "previous": null,
                      "consensus": {
                        "modules": {
                          "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                          "verifier": null
                        },
                        "work": {
                          "class": "deterministic",
                          "verification": "redundant-execution",
                          "execution": "committee",
                          "functions": [
                            "fold"
                          ],
                          "task_source": {
                            "kind": "api"
                          },
                          "max_gas_limit": 250000000,
                          "committee": {
                            "size": 5,
                            "min_size": 3,
                            "backups": 2,
                            "selection": "collateral-reputation-sortition-v1",
                            "weight_cap_multiple": 6
                          },
                          "round_secs": 90,
                          "lease_secs": 30,
                          "epoch_secs": 10800,
                          "dispute_window_secs": 86400
                        },
                        "economics": {
                          "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                          "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                          "reward_model": "per-unit",
                          "reward_per_unit": "1750000000000000",
                          "daily_emission": "512000000000000000000",
                          "fee_split_bp": {
                            "miner": 7600,
                            "developer": 1900,
                            "treasury": 500
                          },
                          "max_units_per_epoch": 900000,
                          "max_recipients_per_epoch": 64,
                          "min_collateral": "7000000000000000000",
                          "slashing_bp": {
                            "invalid_result": 2500,
                            "missed_sla": 120
                          }
                        }
                      },
                      "scheduling": {
                        "public_tasks": false,
                        "requirements": {
                          "device_classes": [
                            "desktop",
                            "server"
                          ],
                          "cpu_cores": 2,
                          "ram_mb": 2048,
                          "storage_mb": 512,
                          "min_benchmark": 80,
                          "gpu": null,
                          "engines": [
                            "native"
                          ],
                          "attestation": []
                        },
                        "sla": {
                          "max_latency_ms": 20000,
                          "min_uptime_bp": 8500
                        }
                      },
                      "listing": {
                        "name": "Protein Fold",
                        "tagline": "Shapes from sequences",
                        "description": "Folds short chains.",
                        "category": "machine-learning",
                        "tags": [
                          "biology"
                        ],
                        "icon": "https://assets.example.com/fold.png",
                        "banner": null,
                        "video": null,
                        "website": "https://fold.example.com",
                        "docs": null,
                        "support": null,
                        "screenshots": [],
                        "features": [
                          "Energy in millijoule"
                        ],
                        "accent_color": "#1F2E3D"
                      }
                    },
                    "sig_type": "eip191",
                    "signature": "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
                    "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                    "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                    "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
                  }
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/economics": {
      "get": {
        "operationId": "getProjectEconomics",
        "tags": [
          "Projects"
        ],
        "summary": "Read what a project pays and what its vault holds",
        "description": "The vault is as of the indexed block.",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The economics.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectEconomics"
                },
                "example": {
                  "token": {
                    "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                    "symbol": "{{token_symbol}}",
                    "name": "{{token_name}}",
                    "decimals": 18
                  },
                  "reward_model": "per-unit",
                  "reward_per_unit": "1750000000000000",
                  "daily_emission": "512000000000000000000",
                  "epoch_cap": "64000000000000000000",
                  "epoch_secs": 10800,
                  "fee_split_bp": {
                    "miner": 7600,
                    "developer": 1900,
                    "treasury": 500
                  },
                  "min_collateral": "7000000000000000000",
                  "slashing_bp": {
                    "invalid_result": 2500,
                    "missed_sla": 120
                  },
                  "dispute_window_secs": 86400,
                  "vault": {
                    "address": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                    "deployed": true,
                    "config_matches_manifest": true,
                    "balance": "5120000000000000000000",
                    "reserved": "64000000000000000000",
                    "total_paid": "0",
                    "pending_withdrawal": "0",
                    "runway_epochs": 79,
                    "runway_days": 9
                  },
                  "created_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/stats": {
      "get": {
        "operationId": "getProjectStats",
        "tags": [
          "Projects"
        ],
        "summary": "Read the figures of a project",
        "description": "Of the epochs that were settled in the period. Finality, uptime and active miners are those of its last epoch.",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "period",
            "in": "query",
            "required": false,
            "schema": {
              "default": "24h",
              "type": "string",
              "enum": [
                "24h",
                "7d",
                "30d",
                "all"
              ]
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The figures.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectStats"
                },
                "example": {
                  "period": "24h",
                  "miners_subscribed": 12,
                  "miners_active": 11,
                  "devices_by_class": {
                    "desktop": 9,
                    "server": 3
                  },
                  "rounds": 960,
                  "rounds_finalized": 951,
                  "rounds_fallback": 9,
                  "units": 2880,
                  "paid_to_miners": "341000000000000000000",
                  "avg_daily_reward_per_miner": "31000000000000000000",
                  "median_finality_ms": 4200,
                  "uptime_bp": 9900,
                  "slashes": 0,
                  "growth_bp": 1000
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/miners": {
      "get": {
        "operationId": "listProjectMiners",
        "tags": [
          "Projects"
        ],
        "summary": "List the miners of a project, most units first",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectMinerPage"
                },
                "example": {
                  "items": [
                    {
                      "miner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "rounds": 40,
                      "units": 1200,
                      "earned": "31000000000000000000",
                      "first_credited_at": 1793000040,
                      "last_credited_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/epochs": {
      "get": {
        "operationId": "listProjectEpochs",
        "tags": [
          "Projects"
        ],
        "summary": "List the settled epochs of a project, last settled first",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectEpochPage"
                },
                "example": {
                  "items": [
                    {
                      "epoch": 166018,
                      "epoch_secs": 10800,
                      "starts_at": 1792994400,
                      "settled_at": 1793005320,
                      "rounds": 120,
                      "rounds_finalized": 118,
                      "rounds_fallback": 2,
                      "units": 360,
                      "miners": 12,
                      "paid_to_miners": "48000000000000000000",
                      "slashes": 0
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/compatibility": {
      "post": {
        "operationId": "checkCompatibility",
        "tags": [
          "Projects"
        ],
        "summary": "Compare a device with what a project asks for",
        "description": "Of a bound device by \`node_id\`, or of a profile in the body. What the device says nothing of is a warning.",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/CompatibilityInput"
              },
              "example": {
                "class": "desktop",
                "engine": "native",
                "hardware": {
                  "cpu_model": "Ryzen 7 7700",
                  "cpu_cores": 8,
                  "cpu_threads": 16,
                  "ram_mb": 32768,
                  "storage_free_mb": 500000,
                  "gpu": null,
                  "network": "ethernet",
                  "battery": false,
                  "os": "linux",
                  "arch": "x64"
                },
                "benchmark_score": 120
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "How it stands.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Compatibility"
                },
                "example": {
                  "compatible": true,
                  "tier": "marginal",
                  "match_bp": 8333,
                  "missing": [],
                  "warnings": [
                    "ram_mb"
                  ],
                  "performance": "good",
                  "est_monthly_reward": "420000000000000000000"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/reviews": {
      "get": {
        "operationId": "listReviews",
        "tags": [
          "Projects"
        ],
        "summary": "List the reviews of a project",
        "security": [],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "sort",
            "in": "query",
            "required": false,
            "schema": {
              "default": "newest",
              "type": "string",
              "enum": [
                "newest",
                "helpful",
                "rating_high",
                "rating_low"
              ]
            }
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page, with what all of them come to.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ReviewPage"
                },
                "example": {
                  "items": [
                    {
                      "review_id": "Zk3v9QpXw7LrT2sB",
                      "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                      "author": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "author_name": "Ada",
                      "rating": 5,
                      "comment": "Steady work, paid on time.",
                      "helpful": 3,
                      "verified_miner": true,
                      "created_at": 1793000040,
                      "updated_at": 1793000040
                    }
                  ],
                  "next_cursor": null,
                  "average_rating_x100": 500,
                  "count": 1
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "put": {
        "operationId": "putReview",
        "tags": [
          "Projects"
        ],
        "summary": "Write or replace the own review",
        "description": "For wallets with at least one credited round on the project. A second one keeps id and votes.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ReviewInput"
              },
              "example": {
                "rating": 5,
                "comment": "Steady work, paid on time."
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As saved.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Review"
                },
                "example": {
                  "review_id": "Zk3v9QpXw7LrT2sB",
                  "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                  "author": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "author_name": "Ada",
                  "rating": 5,
                  "comment": "Steady work, paid on time.",
                  "helpful": 3,
                  "verified_miner": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "delete": {
        "operationId": "deleteReview",
        "tags": [
          "Projects"
        ],
        "summary": "Delete the own review",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          }
        ],
        "responses": {
          "204": {
            "description": "Deleted.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/projects/{project_id}/reviews/{review_id}/helpful": {
      "post": {
        "operationId": "voteHelpful",
        "tags": [
          "Projects"
        ],
        "summary": "Call a review helpful",
        "description": "A wallet counts once, however often it calls; not on its own review.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          },
          {
            "name": "review_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^[A-Za-z0-9]{16}$"
            },
            "example": "Zk3v9QpXw7LrT2sB"
          }
        ],
        "responses": {
          "200": {
            "description": "Counted.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/HelpfulCount"
                },
                "example": {
                  "helpful": 4
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/devices/binding-message": {
      "post": {
        "operationId": "createBindingMessage",
        "tags": [
          "Devices"
        ],
        "summary": "Get a text to sign that binds or unbinds a device",
        "description": "The owner signs the text itself (EIP-191), the device its hash behind a prefix. A signer may as well write the text on its own.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/BindingMessageRequest"
              },
              "example": {
                "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Nothing is kept of it.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/BindingMessage"
                },
                "example": {
                  "message": "{{service}}: bind mining device\\nNetwork: …",
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/devices/bind": {
      "post": {
        "operationId": "bindDevice",
        "tags": [
          "Devices"
        ],
        "summary": "Bind a device to a wallet",
        "description": "The record carries the signatures of both, so no credential is needed. Posting the active record again changes nothing; a newer one of the same owner takes its place.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DeviceRecordInput"
              },
              "example": {
                "message": "{{service}}: bind mining device\\nNetwork: …",
                "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                "issued_at": 1793000040,
                "nonce": "5f0c7a9e3b1d4862a0c4e8f1b3d57690",
                "owner_signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b",
                "node_signature": "0x2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Bound.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Device"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "status": "online",
                  "class": "desktop",
                  "platform": "linux",
                  "os_version": "Debian 12",
                  "arch": "x64",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "benchmark": {
                    "suite": "bench-v1",
                    "score": 1420,
                    "measured_at": 1793000040
                  },
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "bound_at": 1793000040,
                  "profile_updated_at": 1793000040,
                  "last_seen_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature_or_invalid_binding"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/devices/unbind": {
      "post": {
        "operationId": "unbindDevice",
        "tags": [
          "Devices"
        ],
        "summary": "Unbind a device from its wallet",
        "description": "Signed by the owner, by the device, or by both. A subscription of the device goes on and is left out of committees.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DeviceRecordInput"
              },
              "example": {
                "message": "{{service}}: unbind mining device\\nNetwork: …",
                "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                "issued_at": 1793000040,
                "nonce": "5f0c7a9e3b1d4862a0c4e8f1b3d57690",
                "owner_signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b",
                "node_signature": null
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Unbound; the same record again is answered the same way.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/UnboundDevice"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "unbound_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature_or_invalid_binding"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/bindings/{binding_hash}": {
      "get": {
        "operationId": "getBinding",
        "tags": [
          "Devices"
        ],
        "summary": "Read a record that bound or unbound a device",
        "description": "With its signatures, so that anybody can check it.",
        "security": [],
        "parameters": [
          {
            "name": "binding_hash",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The record.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeviceRecord"
                },
                "example": {
                  "message": "{{service}}: bind mining device\\nNetwork: …",
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "issued_at": 1793000040,
                  "nonce": "5f0c7a9e3b1d4862a0c4e8f1b3d57690",
                  "owner_signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b",
                  "node_signature": "0x2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e"
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/me/devices": {
      "get": {
        "operationId": "listDevices",
        "tags": [
          "Devices"
        ],
        "summary": "List the own devices, last bound first",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DevicePage"
                },
                "example": {
                  "items": [
                    {
                      "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                      "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "status": "online",
                      "class": "desktop",
                      "platform": "linux",
                      "os_version": "Debian 12",
                      "arch": "x64",
                      "engine": "native",
                      "nodectl_version": "1.0.0",
                      "benchmark": {
                        "suite": "bench-v1",
                        "score": 1420,
                        "measured_at": 1793000040
                      },
                      "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "bound_at": 1793000040,
                      "profile_updated_at": 1793000040,
                      "last_seen_at": 1793000040,
                      "label": "Under the desk",
                      "hardware": {
                        "cpu_model": "Ryzen 7 7700",
                        "cpu_cores": 8,
                        "cpu_threads": 16,
                        "ram_mb": 32768,
                        "storage_free_mb": 500000,
                        "gpu": null,
                        "network": "ethernet",
                        "battery": false,
                        "os": "linux",
                        "arch": "x64"
                      }
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/devices/{node_id}": {
      "get": {
        "operationId": "getDevice",
        "tags": [
          "Devices"
        ],
        "summary": "Read a bound device",
        "description": "Its owner also sees label and hardware.",
        "security": [],
        "parameters": [
          {
            "name": "node_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "maxLength": 128,
              "pattern": "[0-9a-f]{16}$"
            },
            "example": "{{node_id_prefix}}0f3a5c7e9b1d2f40"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The device.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Device"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "status": "online",
                  "class": "desktop",
                  "platform": "linux",
                  "os_version": "Debian 12",
                  "arch": "x64",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "benchmark": {
                    "suite": "bench-v1",
                    "score": 1420,
                    "measured_at": 1793000040
                  },
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "bound_at": 1793000040,
                  "profile_updated_at": 1793000040,
                  "last_seen_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      },
      "patch": {
        "operationId": "updateDevice",
        "tags": [
          "Devices"
        ],
        "summary": "Name an own device",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "node_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "maxLength": 128,
              "pattern": "[0-9a-f]{16}$"
            },
            "example": "{{node_id_prefix}}0f3a5c7e9b1d2f40"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DeviceUpdate"
              },
              "example": {
                "label": "Under the desk"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As saved.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Device"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "status": "online",
                  "class": "desktop",
                  "platform": "linux",
                  "os_version": "Debian 12",
                  "arch": "x64",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "benchmark": {
                    "suite": "bench-v1",
                    "score": 1420,
                    "measured_at": 1793000040
                  },
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "bound_at": 1793000040,
                  "profile_updated_at": 1793000040,
                  "last_seen_at": 1793000040,
                  "label": "Under the desk",
                  "hardware": {
                    "cpu_model": "Ryzen 7 7700",
                    "cpu_cores": 8,
                    "cpu_threads": 16,
                    "ram_mb": 32768,
                    "storage_free_mb": 500000,
                    "gpu": null,
                    "network": "ethernet",
                    "battery": false,
                    "os": "linux",
                    "arch": "x64"
                  }
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/devices/{node_id}/profile": {
      "put": {
        "operationId": "putDeviceProfile",
        "tags": [
          "Devices"
        ],
        "summary": "Say what the signing device is",
        "description": "Replaces what it said before. What it leaves out counts as unknown.",
        "security": [
          {
            "nodeSignature": []
          }
        ],
        "parameters": [
          {
            "name": "node_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "maxLength": 128,
              "pattern": "[0-9a-f]{16}$"
            },
            "example": "{{node_id_prefix}}0f3a5c7e9b1d2f40"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/DeviceProfile"
              },
              "example": {
                "class": "desktop",
                "platform": "linux",
                "os_version": "Debian 12",
                "arch": "x64",
                "engine": "native",
                "nodectl_version": "1.0.0",
                "hardware": {
                  "cpu_model": "Ryzen 7 7700",
                  "cpu_cores": 8,
                  "cpu_threads": 16,
                  "ram_mb": 32768,
                  "storage_free_mb": 500000,
                  "gpu": null,
                  "network": "ethernet",
                  "battery": false,
                  "os": "linux",
                  "arch": "x64"
                },
                "benchmark": {
                  "suite": "bench-v1",
                  "score": 1420,
                  "measured_at": 1793000040
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As everybody sees it.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Device"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "status": "online",
                  "class": "desktop",
                  "platform": "linux",
                  "os_version": "Debian 12",
                  "arch": "x64",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "benchmark": {
                    "suite": "bench-v1",
                    "score": 1420,
                    "measured_at": 1793000040
                  },
                  "binding_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "bound_at": 1793000040,
                  "profile_updated_at": 1793000040,
                  "last_seen_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions": {
      "post": {
        "operationId": "createSubscription",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Subscribe a device to a project",
        "description": "Answers with the bond to sign. Nothing is owed before it is bonded, and the device is eligible from the next epoch after.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SubscriptionInput"
              },
              "example": {
                "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                "collateral": "6000000000000000000"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "Waiting for its collateral.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "The subscription.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CreatedSubscription"
                },
                "example": {
                  "subscription": {
                    "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                    "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                    "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "min_collateral": "5000000000000000000",
                    "device_bound": true,
                    "credited_rounds": 0,
                    "missed_leases": 0,
                    "disagreements": 0,
                    "created_at": 1793000040,
                    "status": "pending_collateral",
                    "collateral": "0",
                    "payout_address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "collateral_health": "healthy",
                    "release_at": null,
                    "pending_slashes": 0,
                    "slashed_total": "0",
                    "reputation": 5000,
                    "last_proof_at": null,
                    "started_at": null
                  },
                  "bond": {
                    "action": "bond",
                    "typed_data": {
                      "domain": {
                        "name": "{{service}} Staking",
                        "version": "1",
                        "chainId": 31337,
                        "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                      },
                      "types": {
                        "EIP712Domain": [
                          {
                            "name": "name",
                            "type": "string"
                          },
                          {
                            "name": "version",
                            "type": "string"
                          },
                          {
                            "name": "chainId",
                            "type": "uint256"
                          },
                          {
                            "name": "verifyingContract",
                            "type": "address"
                          }
                        ],
                        "Bond": [
                          {
                            "name": "owner",
                            "type": "address"
                          },
                          {
                            "name": "projectId",
                            "type": "bytes32"
                          },
                          {
                            "name": "nodeKey",
                            "type": "bytes32"
                          },
                          {
                            "name": "amount",
                            "type": "uint256"
                          },
                          {
                            "name": "nonce",
                            "type": "uint256"
                          },
                          {
                            "name": "deadline",
                            "type": "uint256"
                          }
                        ]
                      },
                      "primaryType": "Bond",
                      "message": {
                        "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                        "projectId": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                        "nodeKey": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                        "amount": "6000000000000000000",
                        "nonce": "0",
                        "deadline": "1793003640"
                      }
                    },
                    "expires_at": 1793003640,
                    "permit": {
                      "domain": {
                        "name": "{{permit_name}}",
                        "version": "1",
                        "chainId": 31337,
                        "verifyingContract": "0x5fbdb2315678afecb367f032d93f642f64180aa3"
                      },
                      "types": {
                        "EIP712Domain": [
                          {
                            "name": "name",
                            "type": "string"
                          },
                          {
                            "name": "version",
                            "type": "string"
                          },
                          {
                            "name": "chainId",
                            "type": "uint256"
                          },
                          {
                            "name": "verifyingContract",
                            "type": "address"
                          }
                        ],
                        "Permit": [
                          {
                            "name": "owner",
                            "type": "address"
                          },
                          {
                            "name": "spender",
                            "type": "address"
                          },
                          {
                            "name": "value",
                            "type": "uint256"
                          },
                          {
                            "name": "nonce",
                            "type": "uint256"
                          },
                          {
                            "name": "deadline",
                            "type": "uint256"
                          }
                        ]
                      },
                      "primaryType": "Permit",
                      "message": {
                        "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                        "spender": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                        "value": "6000000000000000000",
                        "nonce": "0",
                        "deadline": "1793003640"
                      }
                    }
                  },
                  "compatibility": {
                    "compatible": true,
                    "tier": "marginal",
                    "match_bp": 8333,
                    "missing": [],
                    "warnings": [
                      "ram_mb"
                    ],
                    "performance": "good",
                    "est_monthly_reward": "420000000000000000000"
                  }
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_already_exists"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/incompatible_or_insufficient_collateral"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/me/subscriptions": {
      "get": {
        "operationId": "listSubscriptions",
        "tags": [
          "Subscriptions"
        ],
        "summary": "List the own subscriptions, newest first",
        "description": "Closed ones too.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/SubscriptionPage"
                },
                "example": {
                  "items": [
                    {
                      "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "min_collateral": "5000000000000000000",
                      "device_bound": true,
                      "credited_rounds": 0,
                      "missed_leases": 0,
                      "disagreements": 0,
                      "created_at": 1793000040,
                      "status": "active",
                      "collateral": "6000000000000000000",
                      "payout_address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "collateral_health": "healthy",
                      "release_at": null,
                      "pending_slashes": 0,
                      "slashed_total": "0",
                      "reputation": 5000,
                      "last_proof_at": null,
                      "started_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/me/collateral": {
      "get": {
        "operationId": "getCollateral",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Sum up the own collateral",
        "description": "Over all subscriptions that are not closed.",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "As of the newest indexed block.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CollateralSummary"
                },
                "example": {
                  "bonded": "6000000000000000000",
                  "unbonding": "0",
                  "withdrawable": "0",
                  "slashed_total": "0",
                  "pending_slashes": 0,
                  "{{prefix}}_balance": "994000000000000000000",
                  "subscriptions": [
                    {
                      "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "status": "active",
                      "collateral": "6000000000000000000",
                      "collateral_health": "healthy"
                    }
                  ]
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}": {
      "get": {
        "operationId": "getSubscription",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Read a subscription",
        "security": [],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          },
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "As of the newest indexed block.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Subscription"
                },
                "example": {
                  "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "min_collateral": "5000000000000000000",
                  "device_bound": true,
                  "credited_rounds": 0,
                  "missed_leases": 0,
                  "disagreements": 0,
                  "created_at": 1793000040,
                  "status": "active",
                  "collateral": "6000000000000000000",
                  "payout_address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "collateral_health": "healthy",
                  "release_at": null,
                  "pending_slashes": 0,
                  "slashed_total": "0",
                  "reputation": 5000,
                  "last_proof_at": null,
                  "started_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/bond-payload": {
      "post": {
        "operationId": "getBondPayload",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Get what to sign to add collateral",
        "description": "For the first bond as well as for a top-up. The permit beside it lets the contract take the amount.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/BondRequest"
              },
              "example": {
                "amount": "1000000000000000000"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What the owner signs and posts back.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/GaslessPayload"
                },
                "example": {
                  "action": "bond",
                  "typed_data": {
                    "domain": {
                      "name": "{{service}} Staking",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "Bond": [
                        {
                          "name": "owner",
                          "type": "address"
                        },
                        {
                          "name": "projectId",
                          "type": "bytes32"
                        },
                        {
                          "name": "nodeKey",
                          "type": "bytes32"
                        },
                        {
                          "name": "amount",
                          "type": "uint256"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "Bond",
                    "message": {
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "projectId": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "nodeKey": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "amount": "6000000000000000000",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  },
                  "expires_at": 1793003640,
                  "permit": {
                    "domain": {
                      "name": "{{permit_name}}",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0x5fbdb2315678afecb367f032d93f642f64180aa3"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "Permit": [
                        {
                          "name": "owner",
                          "type": "address"
                        },
                        {
                          "name": "spender",
                          "type": "address"
                        },
                        {
                          "name": "value",
                          "type": "uint256"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "Permit",
                    "message": {
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "spender": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                      "value": "6000000000000000000",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  }
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/bond": {
      "post": {
        "operationId": "bond",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Bond collateral by signature",
        "description": "Takes the payload of a new subscription or of \`bond-payload\`, with the signatures of both its parts. Without a permit the wallet must have approved the contract itself.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedGaslessBody"
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} Staking",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "Bond": [
                      {
                        "name": "owner",
                        "type": "address"
                      },
                      {
                        "name": "projectId",
                        "type": "bytes32"
                      },
                      {
                        "name": "nodeKey",
                        "type": "bytes32"
                      },
                      {
                        "name": "amount",
                        "type": "uint256"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "Bond",
                  "message": {
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "projectId": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                    "nodeKey": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                    "amount": "6000000000000000000",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b",
                "permit": {
                  "domain": {
                    "name": "{{permit_name}}",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0x5fbdb2315678afecb367f032d93f642f64180aa3"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "Permit": [
                      {
                        "name": "owner",
                        "type": "address"
                      },
                      {
                        "name": "spender",
                        "type": "address"
                      },
                      {
                        "name": "value",
                        "type": "uint256"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "Permit",
                  "message": {
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "spender": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                    "value": "6000000000000000000",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "permit_signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "bond",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature_or_insufficient_collateral"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/payout": {
      "post": {
        "operationId": "setPayout",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Set where rewards go, by signature",
        "description": "First with the address, in the body or in the query, then with the signed payload. Epochs settled before keep the address they had.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          },
          {
            "name": "payout_address",
            "in": "query",
            "required": false,
            "description": "For a first step without a body.",
            "schema": {
              "$ref": "#/components/schemas/Address"
            }
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "anyOf": [
                  {
                    "$ref": "#/components/schemas/PayoutRequest"
                  },
                  {
                    "$ref": "#/components/schemas/SignedGaslessBody"
                  }
                ]
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} Staking",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "SetPayout": [
                      {
                        "name": "owner",
                        "type": "address"
                      },
                      {
                        "name": "subscriptionId",
                        "type": "bytes32"
                      },
                      {
                        "name": "payout",
                        "type": "address"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "SetPayout",
                  "message": {
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                    "payout": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What the owner signs and posts back.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/GaslessPayload"
                },
                "example": {
                  "action": "set_payout",
                  "typed_data": {
                    "domain": {
                      "name": "{{service}} Staking",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "SetPayout": [
                        {
                          "name": "owner",
                          "type": "address"
                        },
                        {
                          "name": "subscriptionId",
                          "type": "bytes32"
                        },
                        {
                          "name": "payout",
                          "type": "address"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "SetPayout",
                    "message": {
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "payout": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  },
                  "expires_at": 1793003640
                }
              }
            }
          },
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "set_payout",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/pause": {
      "post": {
        "operationId": "pauseSubscription",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Take no work for a while",
        "description": "From the next epoch on. The collateral stays. The device itself may ask for it as well.",
        "security": [
          {
            "session": []
          },
          {
            "nodeSignature": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "responses": {
          "200": {
            "description": "Paused.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Subscription"
                },
                "example": {
                  "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "min_collateral": "5000000000000000000",
                  "device_bound": true,
                  "credited_rounds": 0,
                  "missed_leases": 0,
                  "disagreements": 0,
                  "created_at": 1793000040,
                  "status": "paused",
                  "collateral": "6000000000000000000",
                  "payout_address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "collateral_health": "healthy",
                  "release_at": null,
                  "pending_slashes": 0,
                  "slashed_total": "0",
                  "reputation": 5000,
                  "last_proof_at": null,
                  "started_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/resume": {
      "post": {
        "operationId": "resumeSubscription",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Take work again",
        "security": [
          {
            "session": []
          },
          {
            "nodeSignature": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "responses": {
          "200": {
            "description": "Active.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Subscription"
                },
                "example": {
                  "subscription_id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "project_id": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "min_collateral": "5000000000000000000",
                  "device_bound": true,
                  "credited_rounds": 0,
                  "missed_leases": 0,
                  "disagreements": 0,
                  "created_at": 1793000040,
                  "status": "active",
                  "collateral": "6000000000000000000",
                  "payout_address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "collateral_health": "healthy",
                  "release_at": null,
                  "pending_slashes": 0,
                  "slashed_total": "0",
                  "reputation": 5000,
                  "last_proof_at": null,
                  "started_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/unbond": {
      "post": {
        "operationId": "unbond",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Begin to unbond, by signature",
        "description": "First without a body, then with the signed payload. The device takes no new work from then on.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedGaslessBody"
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} Staking",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "Unbond": [
                      {
                        "name": "owner",
                        "type": "address"
                      },
                      {
                        "name": "subscriptionId",
                        "type": "bytes32"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "Unbond",
                  "message": {
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What the owner signs and posts back.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/GaslessPayload"
                },
                "example": {
                  "action": "unbond",
                  "typed_data": {
                    "domain": {
                      "name": "{{service}} Staking",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "Unbond": [
                        {
                          "name": "owner",
                          "type": "address"
                        },
                        {
                          "name": "subscriptionId",
                          "type": "bytes32"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "Unbond",
                    "message": {
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  },
                  "expires_at": 1793003640
                }
              }
            }
          },
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "unbond",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/subscriptions/{subscription_id}/withdraw": {
      "post": {
        "operationId": "withdraw",
        "tags": [
          "Subscriptions"
        ],
        "summary": "Take the collateral back, by signature",
        "description": "Once unbonding has ended and no slash is pending. The collateral goes to the owner, and the subscription is closed.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "subscription_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/SignedGaslessBody"
              },
              "example": {
                "typed_data": {
                  "domain": {
                    "name": "{{service}} Staking",
                    "version": "1",
                    "chainId": 31337,
                    "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                  },
                  "types": {
                    "EIP712Domain": [
                      {
                        "name": "name",
                        "type": "string"
                      },
                      {
                        "name": "version",
                        "type": "string"
                      },
                      {
                        "name": "chainId",
                        "type": "uint256"
                      },
                      {
                        "name": "verifyingContract",
                        "type": "address"
                      }
                    ],
                    "Withdraw": [
                      {
                        "name": "owner",
                        "type": "address"
                      },
                      {
                        "name": "subscriptionId",
                        "type": "bytes32"
                      },
                      {
                        "name": "nonce",
                        "type": "uint256"
                      },
                      {
                        "name": "deadline",
                        "type": "uint256"
                      }
                    ]
                  },
                  "primaryType": "Withdraw",
                  "message": {
                    "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                    "nonce": "0",
                    "deadline": "1793003640"
                  }
                },
                "signature": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1b"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What the owner signs and posts back.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/GaslessPayload"
                },
                "example": {
                  "action": "withdraw",
                  "typed_data": {
                    "domain": {
                      "name": "{{service}} Staking",
                      "version": "1",
                      "chainId": 31337,
                      "verifyingContract": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
                    },
                    "types": {
                      "EIP712Domain": [
                        {
                          "name": "name",
                          "type": "string"
                        },
                        {
                          "name": "version",
                          "type": "string"
                        },
                        {
                          "name": "chainId",
                          "type": "uint256"
                        },
                        {
                          "name": "verifyingContract",
                          "type": "address"
                        }
                      ],
                      "Withdraw": [
                        {
                          "name": "owner",
                          "type": "address"
                        },
                        {
                          "name": "subscriptionId",
                          "type": "bytes32"
                        },
                        {
                          "name": "nonce",
                          "type": "uint256"
                        },
                        {
                          "name": "deadline",
                          "type": "uint256"
                        }
                      ]
                    },
                    "primaryType": "Withdraw",
                    "message": {
                      "owner": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "subscriptionId": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "nonce": "0",
                      "deadline": "1793003640"
                    }
                  },
                  "expires_at": 1793003640
                }
              }
            }
          },
          "202": {
            "description": "The signed action is on its way to the chain.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "Where to follow it.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Transaction"
                },
                "example": {
                  "id": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "action": "withdraw",
                  "status": "sent",
                  "tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "error": null,
                  "confirmations": 0,
                  "created_at": 1793000040,
                  "updated_at": 1793000052
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden_or_not_owner"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/conflict_or_invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "422": {
            "$ref": "#/components/responses/bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/faucet": {
      "get": {
        "operationId": "getFaucet",
        "tags": [
          "Faucet"
        ],
        "summary": "Show what the faucet gives, and to the caller when",
        "description": "Without a session nobody is eligible.",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The faucet.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Faucet"
                },
                "example": {
                  "enabled": true,
                  "token": {
                    "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                    "symbol": "{{token_symbol}}",
                    "name": "{{token_name}}",
                    "decimals": 18
                  },
                  "amount": "1000000000000000000000",
                  "eth_amount": "10000000000000000",
                  "cooldown_secs": 86400,
                  "eligible": false,
                  "next_eligible_at": 1793000040
                }
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/faucet/drip": {
      "post": {
        "operationId": "drip",
        "tags": [
          "Faucet"
        ],
        "summary": "Ask for test tokens",
        "description": "Sends tokens to the wallet of the session, and some native currency while the hub has enough of it. Once per wallet and cooldown, for a few wallets per client address. A failed send does not cost the turn.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "Repeats of this call with the same key and body get the first answer, for a day.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 255
            }
          }
        ],
        "responses": {
          "202": {
            "description": "On their way. 429 names the next time in \`details.next_eligible_at\`.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "The state of the token transfer.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/FaucetDrip"
                },
                "example": {
                  "tx_hash": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "amount": "1000000000000000000000",
                  "eth_tx_hash": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                  "eth_amount": "10000000000000000",
                  "next_eligible_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "409": {
            "$ref": "#/components/responses/conflict"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable_or_no_validators_or_faucet_empty"
          }
        }
      }
    },
    "/v1/nodes/register": {
      "post": {
        "operationId": "registerNode",
        "tags": [
          "Nodes"
        ],
        "summary": "Register the signing node, or renew what is known of it",
        "description": "A miner needs no approval: its collateral vouches for it. A validator waits for an operator, again when a miner becomes one.",
        "security": [
          {
            "nodeSignature": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/NodeRegistration"
              },
              "example": {
                "url": "https://validator.example",
                "role": "validator",
                "engine": "native",
                "nodectl_version": "1.0.0",
                "capabilities": [
                  "execute"
                ],
                "region": "eu-west"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Registered and approved.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Node"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "role": "validator",
                  "status": "approved",
                  "url": "https://validator.example",
                  "region": "eu-west",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "capabilities": [
                    "execute"
                  ],
                  "health": "online",
                  "last_heartbeat_at": 1793000040,
                  "registered_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "202": {
            "description": "Registered; an operator has to approve it.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "Location": {
                "description": "The validators, among which it will be.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Node"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "role": "validator",
                  "status": "pending",
                  "url": "https://validator.example",
                  "region": "eu-west",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "capabilities": [
                    "execute"
                  ],
                  "health": "online",
                  "last_heartbeat_at": 1793000040,
                  "registered_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/nodes/heartbeat": {
      "post": {
        "operationId": "heartbeat",
        "tags": [
          "Nodes"
        ],
        "summary": "Say that the signing node is alive",
        "description": "Every 30 s. A node that answers 404 has to register first.",
        "security": [
          {
            "nodeSignature": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/Heartbeat"
              },
              "example": {
                "status": "online"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Heard.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/HeartbeatAnswer"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "status": "approved",
                  "heard_at": 1793000040,
                  "next_in_secs": 30
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/developers/{address}/enrollment": {
      "post": {
        "operationId": "decideEnrollment",
        "tags": [
          "Operator"
        ],
        "summary": "Approve or reject an enrollment",
        "description": "A pending one is decided, a rejected one can be approved after all, and rejecting an active one ends it.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{40}$"
            },
            "example": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/Verdict"
              },
              "example": {
                "action": "approve"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Where it stands.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/developers/{address}/verification": {
      "post": {
        "operationId": "decideVerification",
        "tags": [
          "Operator"
        ],
        "summary": "Approve or reject a verification",
        "description": "As for enrollments; a verification nobody asked for is not decided.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "address",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{40}$"
            },
            "example": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/Verdict"
              },
              "example": {
                "action": "reject",
                "reason": "The website is not yours."
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Where it stands.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OwnDeveloper"
                },
                "example": {
                  "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "display_name": "Ada Computing",
                  "bio": "Rendering for everybody.",
                  "website": "https://ada.example",
                  "logo": null,
                  "location": "London",
                  "social": {
                    "github": "ada"
                  },
                  "verified": true,
                  "created_at": 1793000040,
                  "updated_at": 1793000040,
                  "email": "ada@ada.example",
                  "enrollment": "active",
                  "verification": "verified",
                  "developer_type": "individual",
                  "reason": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/nodes": {
      "get": {
        "operationId": "listNodes",
        "tags": [
          "Operator"
        ],
        "summary": "List the registered nodes, newest first",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "role",
            "in": "query",
            "required": false,
            "schema": {
              "type": "string",
              "enum": [
                "miner",
                "validator"
              ]
            }
          },
          {
            "name": "status",
            "in": "query",
            "required": false,
            "schema": {
              "type": "string",
              "enum": [
                "pending",
                "approved",
                "revoked"
              ]
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/NodePage"
                },
                "example": {
                  "items": [
                    {
                      "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                      "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                      "role": "validator",
                      "status": "approved",
                      "url": "https://validator.example",
                      "region": "eu-west",
                      "engine": "native",
                      "nodectl_version": "1.0.0",
                      "capabilities": [
                        "execute"
                      ],
                      "health": "online",
                      "last_heartbeat_at": 1793000040,
                      "registered_at": 1793000040,
                      "updated_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/nodes/{node_id}/approve": {
      "post": {
        "operationId": "approveNode",
        "tags": [
          "Operator"
        ],
        "summary": "Let a node count in its role",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "node_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "maxLength": 128,
              "pattern": "[0-9a-f]{16}$"
            },
            "example": "{{node_id_prefix}}0f3a5c7e9b1d2f40"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/NodeDecision"
              },
              "example": {}
            }
          }
        },
        "responses": {
          "200": {
            "description": "As decided.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Node"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "role": "validator",
                  "status": "approved",
                  "url": "https://validator.example",
                  "region": "eu-west",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "capabilities": [
                    "execute"
                  ],
                  "health": "online",
                  "last_heartbeat_at": 1793000040,
                  "registered_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/nodes/{node_id}/revoke": {
      "post": {
        "operationId": "revokeNode",
        "tags": [
          "Operator"
        ],
        "summary": "Shut a node out",
        "description": "It no longer counts, cannot register again, and its device shows as banned.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "node_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "maxLength": 128,
              "pattern": "[0-9a-f]{16}$"
            },
            "example": "{{node_id_prefix}}0f3a5c7e9b1d2f40"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/NodeDecision"
              },
              "example": {
                "reason": "Signed two results for one task."
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "As decided.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Node"
                },
                "example": {
                  "node_id": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                  "public_key": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "role": "validator",
                  "status": "revoked",
                  "url": "https://validator.example",
                  "region": "eu-west",
                  "engine": "native",
                  "nodectl_version": "1.0.0",
                  "capabilities": [
                    "execute"
                  ],
                  "health": "online",
                  "last_heartbeat_at": 1793000040,
                  "registered_at": 1793000040,
                  "updated_at": 1793000040
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/faucet": {
      "put": {
        "operationId": "putFaucet",
        "tags": [
          "Operator"
        ],
        "summary": "Open or close the faucet, and set what it gives",
        "security": [
          {
            "session": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/FaucetSettingsInput"
              },
              "example": {
                "enabled": true,
                "amount": "500000000000000000000",
                "reason": "Supply runs low."
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What holds from here on.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/FaucetSettings"
                },
                "example": {
                  "enabled": true,
                  "amount": "500000000000000000000",
                  "eth_amount": "10000000000000000"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/projects/{project_id}/review": {
      "post": {
        "operationId": "reviewProject",
        "tags": [
          "Operator"
        ],
        "summary": "Decide about a project",
        "description": "approve and reject decide a pending review; pause and resume a listed project; delist ends it. The registry is told the new status.",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "project_id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "string",
              "pattern": "^0[xX][0-9a-fA-F]{64}$"
            },
            "example": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectDecision"
              },
              "example": {
                "action": "approve"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The project.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Project"
                },
                "example": {
                  "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                  "slug": "protein-fold",
                  "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                  "developer_name": "Ada Computing",
                  "developer_verified": true,
                  "name": "Protein Fold",
                  "tagline": "Shapes from sequences",
                  "category": "machine-learning",
                  "tags": [
                    "biology"
                  ],
                  "icon": "https://assets.example.com/fold.png",
                  "accent_color": "#1F2E3D",
                  "listing_status": "listed",
                  "device_classes": [
                    "desktop",
                    "server"
                  ],
                  "token": {
                    "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                    "symbol": "{{token_symbol}}",
                    "name": "{{token_name}}",
                    "decimals": 18
                  },
                  "reward_model": "per-unit",
                  "min_collateral": "7000000000000000000",
                  "miners": 12,
                  "avg_daily_reward_per_miner": "31000000000000000000",
                  "average_rating_x100": 450,
                  "review_count": 4,
                  "trending": false,
                  "featured": false,
                  "listed_at": 1793000040,
                  "version": 1,
                  "manifest_hash": "0x1c5c7d4b7b2b0f0a5c1f3f3d9e4c6b8a7d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
                  "consensus_hash": "0x2d6d8e5c8c3c1a1b6d2a4a4eaf5d7c9b8e3f2a1bac9d8e7f6a5b4c3d2e1f0a9b",
                  "pending_version": null,
                  "consensus": {
                    "modules": {
                      "worker": "0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454",
                      "verifier": null
                    },
                    "work": {
                      "class": "deterministic",
                      "verification": "redundant-execution",
                      "execution": "committee",
                      "functions": [
                        "fold"
                      ],
                      "task_source": {
                        "kind": "api"
                      },
                      "max_gas_limit": 250000000,
                      "committee": {
                        "size": 5,
                        "min_size": 3,
                        "backups": 2,
                        "selection": "collateral-reputation-sortition-v1",
                        "weight_cap_multiple": 6
                      },
                      "round_secs": 90,
                      "lease_secs": 30,
                      "epoch_secs": 10800,
                      "dispute_window_secs": 86400
                    },
                    "economics": {
                      "reward_token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "reward_model": "per-unit",
                      "reward_per_unit": "1750000000000000",
                      "daily_emission": "512000000000000000000",
                      "fee_split_bp": {
                        "miner": 7600,
                        "developer": 1900,
                        "treasury": 500
                      },
                      "max_units_per_epoch": 900000,
                      "max_recipients_per_epoch": 64,
                      "min_collateral": "7000000000000000000",
                      "slashing_bp": {
                        "invalid_result": 2500,
                        "missed_sla": 120
                      }
                    }
                  },
                  "scheduling": {
                    "public_tasks": false,
                    "requirements": {
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "cpu_cores": 2,
                      "ram_mb": 2048,
                      "storage_mb": 512,
                      "min_benchmark": 80,
                      "gpu": null,
                      "engines": [
                        "native"
                      ],
                      "attestation": []
                    },
                    "sla": {
                      "max_latency_ms": 20000,
                      "min_uptime_bp": 8500
                    }
                  },
                  "listing": {
                    "name": "Protein Fold",
                    "tagline": "Shapes from sequences",
                    "description": "Folds short chains.",
                    "category": "machine-learning",
                    "tags": [
                      "biology"
                    ],
                    "icon": "https://assets.example.com/fold.png",
                    "banner": null,
                    "video": null,
                    "website": "https://fold.example.com",
                    "docs": null,
                    "support": null,
                    "screenshots": [],
                    "features": [
                      "Energy in millijoule"
                    ],
                    "accent_color": "#1F2E3D"
                  },
                  "vault": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                  "registry_tx": "0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6",
                  "stats": {
                    "period": "24h",
                    "miners_subscribed": 12,
                    "miners_active": 11,
                    "devices_by_class": {
                      "desktop": 9,
                      "server": 3
                    },
                    "rounds": 960,
                    "rounds_finalized": 951,
                    "rounds_fallback": 9,
                    "units": 2880,
                    "paid_to_miners": "341000000000000000000",
                    "avg_daily_reward_per_miner": "31000000000000000000",
                    "median_finality_ms": 4200,
                    "uptime_bp": 9900,
                    "slashes": 0,
                    "growth_bp": 1000
                  },
                  "review": {
                    "status": "approved",
                    "reason": null,
                    "conditions": [],
                    "decided_at": 1793000040
                  },
                  "economics": {
                    "token": {
                      "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                      "symbol": "{{token_symbol}}",
                      "name": "{{token_name}}",
                      "decimals": 18
                    },
                    "reward_model": "per-unit",
                    "reward_per_unit": "1750000000000000",
                    "daily_emission": "512000000000000000000",
                    "epoch_cap": "64000000000000000000",
                    "epoch_secs": 10800,
                    "fee_split_bp": {
                      "miner": 7600,
                      "developer": 1900,
                      "treasury": 500
                    },
                    "min_collateral": "7000000000000000000",
                    "slashing_bp": {
                      "invalid_result": 2500,
                      "missed_sla": 120
                    },
                    "dispute_window_secs": 86400,
                    "vault": {
                      "address": "0x650ece791cdea4c583c4c0bf9aa37a01b45c96b5",
                      "deployed": true,
                      "config_matches_manifest": true,
                      "balance": "5120000000000000000000",
                      "reserved": "64000000000000000000",
                      "total_paid": "0",
                      "pending_withdrawal": "0",
                      "runway_epochs": 79,
                      "runway_days": 9
                    },
                    "created_at": 1793000040
                  }
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/bad_request_or_invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "404": {
            "$ref": "#/components/responses/not_found"
          },
          "409": {
            "$ref": "#/components/responses/invalid_state"
          },
          "413": {
            "$ref": "#/components/responses/too_large"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/review-queue": {
      "get": {
        "operationId": "listReviewQueue",
        "tags": [
          "Operator"
        ],
        "summary": "List the projects that await review, longest waiting first",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ReviewQueuePage"
                },
                "example": {
                  "items": [
                    {
                      "project_id": "0x9e107d9d372bb6826bd81d3542a419d6e277d6f1c0b5a4938271605f4e3d2c1b",
                      "slug": "protein-fold",
                      "developer": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                      "developer_name": "Ada Computing",
                      "developer_verified": true,
                      "name": "Protein Fold",
                      "tagline": "Shapes from sequences",
                      "category": "machine-learning",
                      "tags": [
                        "biology"
                      ],
                      "icon": "https://assets.example.com/fold.png",
                      "accent_color": "#1F2E3D",
                      "listing_status": "pending_review",
                      "device_classes": [
                        "desktop",
                        "server"
                      ],
                      "token": {
                        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                        "symbol": "{{token_symbol}}",
                        "name": "{{token_name}}",
                        "decimals": 18
                      },
                      "reward_model": "per-unit",
                      "min_collateral": "7000000000000000000",
                      "miners": 12,
                      "avg_daily_reward_per_miner": "31000000000000000000",
                      "average_rating_x100": 450,
                      "review_count": 4,
                      "trending": false,
                      "featured": false,
                      "listed_at": 1793000040,
                      "version": 1
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/relayer": {
      "get": {
        "operationId": "getRelayer",
        "tags": [
          "Operator"
        ],
        "summary": "Show the relayer and the messages that failed",
        "security": [
          {
            "session": []
          }
        ],
        "responses": {
          "200": {
            "description": "The relayer as of now.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/RelayerState"
                },
                "example": {
                  "relayer": {
                    "status": "ok",
                    "signer": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                    "balance": "99500000000000000000",
                    "open": 2,
                    "oldest_open_at": 1793000040,
                    "next_nonce": 214
                  },
                  "dead_letters": []
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/admin/v1/audit-log": {
      "get": {
        "operationId": "listAuditLog",
        "tags": [
          "Operator"
        ],
        "summary": "List what operators did, newest first",
        "security": [
          {
            "session": []
          }
        ],
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "required": false,
            "description": "Items per page, 1 to 200; 50 when left out.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 200,
              "default": 50
            }
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "description": "The \`next_cursor\` of the page before.",
            "schema": {
              "type": "string",
              "maxLength": 1024
            }
          },
          {
            "name": "subject",
            "in": "query",
            "required": false,
            "description": "Only what was done to this.",
            "schema": {
              "type": "string",
              "minLength": 1,
              "maxLength": 128
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AuditEntryPage"
                },
                "example": {
                  "items": [
                    {
                      "entry": 7,
                      "operator": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                      "action": "node.approve",
                      "subject": "{{node_id_prefix}}0f3a5c7e9b1d2f40",
                      "reason": null,
                      "before": {
                        "status": "pending"
                      },
                      "after": {
                        "status": "approved"
                      },
                      "created_at": 1793000040
                    }
                  ],
                  "next_cursor": null
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "403": {
            "$ref": "#/components/responses/forbidden"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/v1/openapi.json": {
      "get": {
        "operationId": "getOpenApi",
        "tags": [
          "Reference"
        ],
        "summary": "Read the OpenAPI document",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "OpenAPI 3.1.0.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {}
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    },
    "/docs": {
      "get": {
        "operationId": "getDocs",
        "tags": [
          "Reference"
        ],
        "summary": "Browse this reference",
        "description": "A page that renders the OpenAPI document and can try calls. It loads nothing from another host.",
        "security": [],
        "parameters": [
          {
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "ETag of the copy you hold; the same one is answered with 304.",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Limit": {
                "$ref": "#/components/headers/RateLimit-Limit"
              },
              "RateLimit-Remaining": {
                "$ref": "#/components/headers/RateLimit-Remaining"
              },
              "RateLimit-Reset": {
                "$ref": "#/components/headers/RateLimit-Reset"
              },
              "ETag": {
                "description": "Names this representation.",
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "text/html; charset=utf-8": {
                "schema": {}
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/not_modified"
          },
          "400": {
            "$ref": "#/components/responses/invalid_field"
          },
          "401": {
            "$ref": "#/components/responses/unauthorized_or_session_expired_or_bad_signature"
          },
          "429": {
            "$ref": "#/components/responses/rate_limited"
          },
          "500": {
            "$ref": "#/components/responses/internal"
          },
          "503": {
            "$ref": "#/components/responses/unavailable"
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "AccentColor": {
        "anyOf": [
          {
            "type": "string",
            "pattern": "^#[0-9A-F]{6}$"
          },
          {
            "type": "null"
          }
        ]
      },
      "Address": {
        "type": "string",
        "pattern": "^0x[0-9a-f]{40}$",
        "description": "EVM address in lower case."
      },
      "ApiKey": {
        "type": "object",
        "properties": {
          "key_id": {
            "type": "string"
          },
          "name": {
            "type": "string"
          },
          "prefix": {
            "type": "string"
          },
          "scopes": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "tasks:submit",
                "projects:read",
                "projects:write",
                "modules:write",
                "analytics:read"
              ]
            }
          },
          "project_ids": {
            "anyOf": [
              {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Bytes32"
                }
              },
              {
                "type": "null"
              }
            ]
          },
          "last_used_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ],
            "description": "Exact to ten minutes."
          },
          "expires_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "key_id",
          "name",
          "prefix",
          "scopes",
          "project_ids",
          "last_used_at",
          "expires_at",
          "created_at"
        ],
        "additionalProperties": false
      },
      "ApiKeyInput": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64
          },
          "scopes": {
            "minItems": 1,
            "maxItems": 5,
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "tasks:submit",
                "projects:read",
                "projects:write",
                "modules:write",
                "analytics:read"
              ]
            }
          },
          "project_ids": {
            "default": null,
            "description": "The only projects the key is good for; all of yours when left out.",
            "anyOf": [
              {
                "maxItems": 200,
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Bytes32"
                }
              },
              {
                "type": "null"
              }
            ]
          },
          "expires_at": {
            "default": null,
            "description": "In the future, or null for never.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "name",
          "scopes"
        ],
        "additionalProperties": false
      },
      "ApiKeyPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ApiKey"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "Asset": {
        "type": "object",
        "properties": {
          "sha256": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "Of the bytes as they are served: metadata is removed."
          },
          "url": {
            "type": "string",
            "format": "uri"
          }
        },
        "required": [
          "sha256",
          "url"
        ],
        "additionalProperties": false
      },
      "AssetInput": {
        "type": "object",
        "properties": {
          "content_type": {
            "type": "string",
            "enum": [
              "image/png",
              "image/jpeg",
              "image/webp"
            ]
          },
          "data_b64": {
            "type": "string",
            "description": "The image in base64; at most 2 MiB decoded.",
            "contentEncoding": "base64"
          }
        },
        "required": [
          "content_type",
          "data_b64"
        ],
        "additionalProperties": false
      },
      "AuditEntry": {
        "type": "object",
        "properties": {
          "entry": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "operator": {
            "$ref": "#/components/schemas/Address"
          },
          "action": {
            "type": "string"
          },
          "subject": {
            "type": "string"
          },
          "reason": {
            "type": [
              "string",
              "null"
            ]
          },
          "before": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          },
          "after": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "entry",
          "operator",
          "action",
          "subject",
          "reason",
          "before",
          "after",
          "created_at"
        ],
        "additionalProperties": false
      },
      "AuditEntryPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AuditEntry"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "Benchmark": {
        "type": "object",
        "properties": {
          "suite": {
            "type": "string",
            "const": "bench-v1"
          },
          "score": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1099511627776
          },
          "measured_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "suite",
          "score",
          "measured_at"
        ],
        "additionalProperties": false
      },
      "BindingMessage": {
        "type": "object",
        "properties": {
          "message": {
            "type": "string"
          },
          "binding_hash": {
            "$ref": "#/components/schemas/Bytes32"
          }
        },
        "required": [
          "message",
          "binding_hash"
        ],
        "additionalProperties": false,
        "description": "The text to sign, with a fresh nonce."
      },
      "BindingMessageRequest": {
        "type": "object",
        "properties": {
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "public_key": {
            "description": "ed25519 key of the device.",
            "$ref": "#/components/schemas/Bytes32"
          },
          "unbind": {
            "default": false,
            "type": "boolean"
          }
        },
        "required": [
          "owner",
          "public_key"
        ],
        "additionalProperties": false
      },
      "BondRequest": {
        "type": "object",
        "properties": {
          "amount": {
            "$ref": "#/components/schemas/TokenAmount"
          }
        },
        "required": [
          "amount"
        ],
        "additionalProperties": false
      },
      "Bytes32": {
        "type": "string",
        "pattern": "^0x[0-9a-f]{64}$",
        "description": "32 bytes as lower-case hex."
      },
      "Categories": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "category": {
                  "type": "string"
                },
                "count": {
                  "type": "integer",
                  "minimum": -9007199254740991,
                  "maximum": 9007199254740991,
                  "description": "Listed projects."
                }
              },
              "required": [
                "category",
                "count"
              ],
              "additionalProperties": false
            }
          }
        },
        "required": [
          "items"
        ],
        "additionalProperties": false
      },
      "Category": {
        "type": "string",
        "enum": [
          "blockchain",
          "depin",
          "machine-learning",
          "storage",
          "compute",
          "bandwidth",
          "data-sovereignty",
          "iot",
          "hardware-staking",
          "content-delivery"
        ]
      },
      "CollateralSummary": {
        "type": "object",
        "properties": {
          "bonded": {
            "description": "Of active, paused and jailed subscriptions.",
            "$ref": "#/components/schemas/TokenAmount"
          },
          "unbonding": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "withdrawable": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "slashed_total": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "pending_slashes": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "{{prefix}}_balance": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/TokenAmount"
              },
              {
                "type": "null"
              }
            ],
            "description": "What the wallet itself holds; null while the chain does not answer."
          },
          "subscriptions": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "subscription_id": {
                  "$ref": "#/components/schemas/Bytes32"
                },
                "project_id": {
                  "$ref": "#/components/schemas/Bytes32"
                },
                "status": {
                  "type": "string",
                  "enum": [
                    "pending_collateral",
                    "active",
                    "paused",
                    "jailed",
                    "unbonding",
                    "withdrawable",
                    "closed"
                  ]
                },
                "collateral": {
                  "$ref": "#/components/schemas/TokenAmount"
                },
                "collateral_health": {
                  "type": "string",
                  "enum": [
                    "healthy",
                    "warning",
                    "critical"
                  ]
                }
              },
              "required": [
                "subscription_id",
                "project_id",
                "status",
                "collateral",
                "collateral_health"
              ],
              "additionalProperties": false
            }
          }
        },
        "required": [
          "bonded",
          "unbonding",
          "withdrawable",
          "slashed_total",
          "pending_slashes",
          "{{prefix}}_balance",
          "subscriptions"
        ],
        "additionalProperties": false
      },
      "Compatibility": {
        "type": "object",
        "properties": {
          "compatible": {
            "type": "boolean"
          },
          "tier": {
            "type": "string",
            "enum": [
              "compatible",
              "marginal",
              "incompatible"
            ]
          },
          "match_bp": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Share of the requirements that are met, in basis points."
          },
          "missing": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "device_class",
                "engine",
                "cpu_cores",
                "ram_mb",
                "storage_mb",
                "benchmark"
              ]
            }
          },
          "warnings": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "Requirements missed by at most 10 %, by their names, and \`unknown_<name>\` for those the device says nothing of."
          },
          "performance": {
            "type": "string",
            "enum": [
              "excellent",
              "good",
              "fair",
              "poor"
            ]
          },
          "est_monthly_reward": {
            "description": "30 times what a miner of the project earned a day lately; absent while nobody earned.",
            "$ref": "#/components/schemas/TokenAmount"
          }
        },
        "required": [
          "compatible",
          "tier",
          "match_bp",
          "missing",
          "warnings"
        ],
        "additionalProperties": false
      },
      "CompatibilityInput": {
        "type": "object",
        "properties": {
          "node_id": {
            "description": "A device by its own profile; then nothing else is given.",
            "type": "string",
            "maxLength": 128,
            "pattern": "[0-9a-f]{16}$"
          },
          "class": {
            "$ref": "#/components/schemas/DeviceClass"
          },
          "engine": {
            "$ref": "#/components/schemas/Engine"
          },
          "hardware": {
            "$ref": "#/components/schemas/HardwareInput"
          },
          "benchmark_score": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1099511627776
          }
        },
        "additionalProperties": false
      },
      "Consensus": {
        "type": "object",
        "properties": {
          "modules": {
            "type": "object",
            "properties": {
              "worker": {
                "$ref": "#/components/schemas/Bytes32"
              },
              "verifier": {
                "type": "null"
              }
            },
            "required": [
              "worker",
              "verifier"
            ],
            "additionalProperties": false
          },
          "work": {
            "type": "object",
            "properties": {
              "class": {
                "type": "string",
                "const": "deterministic"
              },
              "verification": {
                "type": "string",
                "const": "redundant-execution"
              },
              "execution": {
                "type": "string",
                "const": "committee"
              },
              "functions": {
                "minItems": 1,
                "maxItems": 64,
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1
                }
              },
              "task_source": {
                "type": "object",
                "properties": {
                  "kind": {
                    "type": "string",
                    "const": "api"
                  }
                },
                "required": [
                  "kind"
                ],
                "additionalProperties": false
              },
              "max_gas_limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10000000000
              },
              "committee": {
                "type": "object",
                "properties": {
                  "size": {
                    "type": "integer",
                    "minimum": 3,
                    "maximum": 31
                  },
                  "min_size": {
                    "type": "integer",
                    "minimum": 3,
                    "maximum": 31
                  },
                  "backups": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 16
                  },
                  "selection": {
                    "type": "string",
                    "const": "collateral-reputation-sortition-v1"
                  },
                  "weight_cap_multiple": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100
                  }
                },
                "required": [
                  "size",
                  "min_size",
                  "backups",
                  "selection",
                  "weight_cap_multiple"
                ],
                "additionalProperties": false
              },
              "round_secs": {
                "type": "integer",
                "minimum": 10,
                "maximum": 600
              },
              "lease_secs": {
                "type": "integer",
                "minimum": 5,
                "maximum": 600
              },
              "epoch_secs": {
                "type": "number",
                "enum": [
                  3600,
                  7200,
                  10800,
                  14400,
                  21600,
                  28800,
                  43200,
                  86400
                ]
              },
              "dispute_window_secs": {
                "type": "integer",
                "minimum": 3600,
                "maximum": 604800
              }
            },
            "required": [
              "class",
              "verification",
              "execution",
              "functions",
              "task_source",
              "max_gas_limit",
              "committee",
              "round_secs",
              "lease_secs",
              "epoch_secs",
              "dispute_window_secs"
            ],
            "additionalProperties": false
          },
          "economics": {
            "type": "object",
            "properties": {
              "reward_token": {
                "$ref": "#/components/schemas/Address"
              },
              "vault": {
                "$ref": "#/components/schemas/Address"
              },
              "reward_model": {
                "$ref": "#/components/schemas/RewardModel"
              },
              "reward_per_unit": {
                "$ref": "#/components/schemas/TokenAmount"
              },
              "daily_emission": {
                "$ref": "#/components/schemas/TokenAmount"
              },
              "fee_split_bp": {
                "$ref": "#/components/schemas/FeeSplit"
              },
              "max_units_per_epoch": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000000000
              },
              "max_recipients_per_epoch": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10000
              },
              "min_collateral": {
                "$ref": "#/components/schemas/TokenAmount"
              },
              "slashing_bp": {
                "$ref": "#/components/schemas/SlashingRates"
              }
            },
            "required": [
              "reward_token",
              "vault",
              "reward_model",
              "reward_per_unit",
              "daily_emission",
              "fee_split_bp",
              "max_units_per_epoch",
              "max_recipients_per_epoch",
              "min_collateral",
              "slashing_bp"
            ],
            "additionalProperties": false
          }
        },
        "required": [
          "modules",
          "work",
          "economics"
        ],
        "additionalProperties": false,
        "description": "What nodes and contracts agree on."
      },
      "CreatedApiKey": {
        "type": "object",
        "properties": {
          "key_id": {
            "type": "string"
          },
          "name": {
            "type": "string"
          },
          "prefix": {
            "type": "string"
          },
          "scopes": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "tasks:submit",
                "projects:read",
                "projects:write",
                "modules:write",
                "analytics:read"
              ]
            }
          },
          "project_ids": {
            "anyOf": [
              {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Bytes32"
                }
              },
              {
                "type": "null"
              }
            ]
          },
          "last_used_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ],
            "description": "Exact to ten minutes."
          },
          "expires_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "secret": {
            "type": "string",
            "description": "The whole key. Shown only here."
          }
        },
        "required": [
          "key_id",
          "name",
          "prefix",
          "scopes",
          "project_ids",
          "last_used_at",
          "expires_at",
          "created_at",
          "secret"
        ],
        "additionalProperties": false
      },
      "CreatedSubscription": {
        "type": "object",
        "properties": {
          "subscription": {
            "$ref": "#/components/schemas/Subscription"
          },
          "bond": {
            "$ref": "#/components/schemas/GaslessPayload"
          },
          "compatibility": {
            "$ref": "#/components/schemas/Compatibility"
          }
        },
        "required": [
          "subscription",
          "bond",
          "compatibility"
        ],
        "additionalProperties": false
      },
      "Descriptor": {
        "type": "object",
        "properties": {
          "network": {
            "type": "string"
          },
          "protocol": {
            "type": "string"
          },
          "api": {
            "type": "string",
            "description": "Path prefix of this API version."
          },
          "runtime": {
            "type": "string",
            "description": "What executes modules."
          },
          "chain": {
            "type": "object",
            "properties": {
              "id": {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991,
                "description": "EIP-155 chain id; sign-in texts and typed data name it."
              },
              "name": {
                "type": [
                  "string",
                  "null"
                ]
              },
              "contracts": {
                "type": "object",
                "propertyNames": {
                  "type": "string"
                },
                "additionalProperties": {
                  "anyOf": [
                    {
                      "$ref": "#/components/schemas/Address"
                    },
                    {
                      "type": "null"
                    }
                  ]
                },
                "description": "Null while this hub has no chain."
              },
              "explorer": {
                "anyOf": [
                  {
                    "type": "string",
                    "format": "uri"
                  },
                  {
                    "type": "null"
                  }
                ]
              },
              "rpc_url": {
                "description": "Given where anyone may reach the chain this way.",
                "type": "string",
                "format": "uri"
              }
            },
            "required": [
              "id",
              "name",
              "contracts",
              "explorer"
            ],
            "additionalProperties": false
          },
          "hosts": {
            "type": "object",
            "properties": {
              "api": {
                "type": "string",
                "format": "uri"
              },
              "docs": {
                "type": "string",
                "format": "uri"
              },
              "sign_in": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "description": "Domains a sign-in text may name."
              }
            },
            "required": [
              "api",
              "docs",
              "sign_in"
            ],
            "additionalProperties": false
          },
          "params_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "versions": {
            "type": "object",
            "properties": {
              "hub": {
                "type": "string"
              },
              "nodectl_min": {
                "type": "string"
              }
            },
            "required": [
              "hub",
              "nodectl_min"
            ],
            "additionalProperties": false
          },
          "features": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "status": {
            "type": "string",
            "enum": [
              "ok",
              "degraded"
            ]
          },
          "time": {
            "description": "Unix seconds, at the start of the minute.",
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "network",
          "protocol",
          "api",
          "runtime",
          "chain",
          "hosts",
          "params_hash",
          "versions",
          "features",
          "status",
          "time"
        ],
        "additionalProperties": false
      },
      "Developer": {
        "type": "object",
        "properties": {
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "display_name": {
            "type": "string"
          },
          "bio": {
            "type": [
              "string",
              "null"
            ]
          },
          "website": {
            "type": [
              "string",
              "null"
            ]
          },
          "logo": {
            "type": [
              "string",
              "null"
            ]
          },
          "location": {
            "type": [
              "string",
              "null"
            ]
          },
          "social": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {
              "type": "string"
            }
          },
          "verified": {
            "type": "boolean"
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "address",
          "display_name",
          "bio",
          "website",
          "logo",
          "location",
          "social",
          "verified",
          "created_at",
          "updated_at"
        ],
        "additionalProperties": false
      },
      "DeveloperProfile": {
        "type": "object",
        "properties": {
          "display_name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64
          },
          "bio": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 2000
              },
              {
                "type": "null"
              }
            ]
          },
          "website": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/HttpsUrl"
              },
              {
                "type": "null"
              }
            ]
          },
          "logo": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/HttpsUrl"
              },
              {
                "type": "null"
              }
            ]
          },
          "location": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          },
          "email": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 254,
                "format": "email",
                "pattern": "^(?:[A-Za-z0-9_'+\\\\-]+\\\\.)*[A-Za-z0-9_'+\\\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\\\-]*\\\\.)+[A-Za-z]{2,}$"
              },
              {
                "type": "null"
              }
            ]
          },
          "social": {
            "default": {},
            "type": "object",
            "propertyNames": {
              "type": "string",
              "pattern": "^[a-z0-9_]{1,32}$"
            },
            "additionalProperties": {
              "type": "string",
              "maxLength": 256
            }
          }
        },
        "required": [
          "display_name"
        ],
        "additionalProperties": false
      },
      "Device": {
        "type": "object",
        "properties": {
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "public_key": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "status": {
            "type": "string",
            "enum": [
              "online",
              "idle",
              "offline",
              "faulty",
              "banned"
            ]
          },
          "class": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "desktop",
                  "laptop",
                  "phone",
                  "server",
                  "tablet"
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "platform": {
            "type": [
              "string",
              "null"
            ]
          },
          "os_version": {
            "type": [
              "string",
              "null"
            ]
          },
          "arch": {
            "type": [
              "string",
              "null"
            ]
          },
          "engine": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "native",
                  "pulley32",
                  "pulley64"
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "nodectl_version": {
            "type": [
              "string",
              "null"
            ]
          },
          "benchmark": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Benchmark"
              },
              {
                "type": "null"
              }
            ]
          },
          "binding_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "bound_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "profile_updated_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "last_seen_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "label": {
            "description": "Only for the owner.",
            "type": [
              "string",
              "null"
            ]
          },
          "hardware": {
            "description": "Only for the owner.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Hardware"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "node_id",
          "public_key",
          "owner",
          "status",
          "class",
          "platform",
          "os_version",
          "arch",
          "engine",
          "nodectl_version",
          "benchmark",
          "binding_hash",
          "bound_at",
          "profile_updated_at",
          "last_seen_at"
        ],
        "additionalProperties": false
      },
      "DeviceClass": {
        "type": "string",
        "enum": [
          "desktop",
          "laptop",
          "phone",
          "server",
          "tablet"
        ]
      },
      "DevicePage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Device"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "DeviceProfile": {
        "type": "object",
        "properties": {
          "class": {
            "type": "string",
            "enum": [
              "desktop",
              "laptop",
              "phone",
              "server",
              "tablet"
            ]
          },
          "platform": {
            "type": "string",
            "minLength": 1,
            "maxLength": 32
          },
          "os_version": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          },
          "arch": {
            "type": "string",
            "minLength": 1,
            "maxLength": 32
          },
          "engine": {
            "$ref": "#/components/schemas/Engine"
          },
          "nodectl_version": {
            "type": "string",
            "maxLength": 64,
            "pattern": "^\\\\d+\\\\.\\\\d+\\\\.\\\\d+(?:[-+][0-9A-Za-z.+-]+)?$"
          },
          "hardware": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/HardwareInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "benchmark": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/Benchmark"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "class",
          "platform",
          "arch",
          "engine",
          "nodectl_version"
        ],
        "additionalProperties": false
      },
      "DeviceRecord": {
        "type": "object",
        "properties": {
          "message": {
            "type": "string"
          },
          "binding_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "public_key": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "issued_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "nonce": {
            "type": "string"
          },
          "owner_signature": {
            "type": [
              "string",
              "null"
            ]
          },
          "node_signature": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "message",
          "binding_hash",
          "owner",
          "node_id",
          "public_key",
          "issued_at",
          "nonce",
          "owner_signature",
          "node_signature"
        ],
        "additionalProperties": false
      },
      "DeviceRecordInput": {
        "type": "object",
        "properties": {
          "message": {
            "type": "string",
            "maxLength": 1024
          },
          "binding_hash": {
            "type": "string",
            "maxLength": 66
          },
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "node_id": {
            "type": "string",
            "maxLength": 128
          },
          "public_key": {
            "type": "string",
            "maxLength": 66
          },
          "issued_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "nonce": {
            "type": "string",
            "maxLength": 32
          },
          "owner_signature": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 132
              },
              {
                "type": "null"
              }
            ]
          },
          "node_signature": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 130
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "message",
          "binding_hash",
          "owner",
          "node_id",
          "public_key",
          "issued_at",
          "nonce"
        ],
        "additionalProperties": false
      },
      "DeviceUpdate": {
        "type": "object",
        "properties": {
          "label": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "label"
        ],
        "additionalProperties": false
      },
      "DirectTransaction": {
        "type": "object",
        "properties": {
          "chain_id": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "to": {
            "$ref": "#/components/schemas/Address"
          },
          "data": {
            "type": "string",
            "pattern": "^0x([0-9a-f]{2})*$"
          },
          "value": {
            "type": "string"
          },
          "description": {
            "type": "string"
          }
        },
        "required": [
          "chain_id",
          "to",
          "data",
          "value",
          "description"
        ],
        "additionalProperties": false,
        "description": "The same action as a transaction of the owner itself."
      },
      "Draft": {
        "type": "object",
        "properties": {
          "draft_id": {
            "type": "string"
          },
          "current_step": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "project_id": {
            "type": [
              "string",
              "null"
            ]
          },
          "data": {
            "type": "object",
            "additionalProperties": {}
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "draft_id",
          "current_step",
          "project_id",
          "data",
          "created_at",
          "updated_at"
        ],
        "additionalProperties": false
      },
      "DraftInput": {
        "type": "object",
        "properties": {
          "current_step": {
            "default": 0,
            "type": "integer",
            "minimum": 0,
            "maximum": 1000
          },
          "project_id": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 128
              },
              {
                "type": "null"
              }
            ]
          },
          "data": {
            "type": "object",
            "additionalProperties": {},
            "description": "Anything; at most 256 KiB as stored."
          }
        },
        "required": [
          "data"
        ],
        "additionalProperties": false
      },
      "DraftPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Draft"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "Engine": {
        "type": "string",
        "enum": [
          "native",
          "pulley32",
          "pulley64"
        ]
      },
      "EnrollmentRequest": {
        "type": "object",
        "properties": {
          "draft": {
            "default": false,
            "description": "Only keep the application; do not submit it.",
            "type": "boolean"
          },
          "developer_type": {
            "type": "string",
            "enum": [
              "individual",
              "organization"
            ]
          },
          "display_name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64
          },
          "email": {
            "type": "string",
            "maxLength": 254,
            "format": "email",
            "pattern": "^(?:[A-Za-z0-9_'+\\\\-]+\\\\.)*[A-Za-z0-9_'+\\\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\\\-]*\\\\.)+[A-Za-z]{2,}$"
          },
          "website": {
            "$ref": "#/components/schemas/HttpsUrl"
          },
          "reason": {
            "type": "string",
            "maxLength": 2000
          },
          "agreements_accepted": {
            "type": "boolean",
            "const": true
          }
        },
        "required": [
          "developer_type",
          "display_name",
          "agreements_accepted"
        ],
        "additionalProperties": false
      },
      "Error": {
        "type": "object",
        "required": [
          "error",
          "message",
          "request_id"
        ],
        "properties": {
          "error": {
            "type": "string",
            "enum": [
              "bad_request",
              "invalid_field",
              "unauthorized",
              "session_expired",
              "bad_signature",
              "forbidden",
              "not_owner",
              "not_enrolled",
              "not_verified",
              "scope_missing",
              "not_found",
              "conflict",
              "duplicate",
              "already_exists",
              "invalid_state",
              "too_large",
              "invalid_manifest",
              "invalid_binding",
              "invalid_evidence",
              "incompatible",
              "insufficient_collateral",
              "rate_limited",
              "internal",
              "unavailable",
              "no_validators",
              "faucet_empty"
            ],
            "description": "Stable code."
          },
          "message": {
            "type": "string",
            "description": "For a person: what is wrong and what to do."
          },
          "details": {
            "type": "object",
            "description": "More for a program; \`problems\` lists every wrong field as {path, code, message}.",
            "additionalProperties": true
          },
          "request_id": {
            "type": "string",
            "format": "uuid"
          }
        },
        "additionalProperties": false
      },
      "EvmSignature": {
        "type": "string",
        "pattern": "^0x[0-9a-f]{130}$",
        "description": "65 bytes \`r ‖ s ‖ v\`."
      },
      "Faucet": {
        "type": "object",
        "properties": {
          "enabled": {
            "type": "boolean"
          },
          "token": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Token"
              },
              {
                "type": "null"
              }
            ],
            "description": "Null while this hub has no chain."
          },
          "amount": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "eth_amount": {
            "description": "Native currency, left out of a drip when the hub runs low.",
            "$ref": "#/components/schemas/TokenAmount"
          },
          "cooldown_secs": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "eligible": {
            "type": "boolean",
            "description": "Whether the calling wallet would be given something now."
          },
          "next_eligible_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ],
            "description": "Null when nothing has to be waited for."
          }
        },
        "required": [
          "enabled",
          "token",
          "amount",
          "eth_amount",
          "cooldown_secs",
          "eligible",
          "next_eligible_at"
        ],
        "additionalProperties": false
      },
      "FaucetDrip": {
        "type": "object",
        "properties": {
          "tx_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "amount": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "eth_tx_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "eth_amount": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "next_eligible_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "tx_hash",
          "amount",
          "eth_amount",
          "next_eligible_at"
        ],
        "additionalProperties": false
      },
      "FaucetSettings": {
        "type": "object",
        "properties": {
          "enabled": {
            "type": "boolean"
          },
          "amount": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "eth_amount": {
            "$ref": "#/components/schemas/TokenAmount"
          }
        },
        "required": [
          "enabled",
          "amount",
          "eth_amount"
        ],
        "additionalProperties": false
      },
      "FaucetSettingsInput": {
        "type": "object",
        "properties": {
          "enabled": {
            "type": "boolean"
          },
          "amount": {
            "default": null,
            "description": "Tokens of one drip; null for what the deployment has.",
            "anyOf": [
              {
                "type": "string",
                "pattern": "^(0|[1-9][0-9]{0,77})$",
                "description": "Base units, in decimal.",
                "$ref": "#/components/schemas/TokenAmount"
              },
              {
                "type": "null"
              }
            ]
          },
          "eth_amount": {
            "default": null,
            "description": "Native currency of one drip; null for what the deployment has.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/TokenAmount"
              },
              {
                "type": "null"
              }
            ]
          },
          "reason": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "enabled"
        ],
        "additionalProperties": false
      },
      "FeeSplit": {
        "type": "object",
        "properties": {
          "miner": {
            "type": "integer",
            "minimum": 5000,
            "maximum": 10000
          },
          "developer": {
            "type": "integer",
            "minimum": 0,
            "maximum": 5000
          },
          "treasury": {
            "type": "integer",
            "minimum": 0,
            "maximum": 5000
          }
        },
        "required": [
          "miner",
          "developer",
          "treasury"
        ],
        "additionalProperties": false,
        "description": "Basis points, 10000 in sum."
      },
      "GaslessPayload": {
        "type": "object",
        "properties": {
          "action": {
            "type": "string",
            "enum": [
              "bond",
              "unbond",
              "withdraw",
              "set_payout",
              "register_project",
              "publish_version"
            ]
          },
          "typed_data": {
            "$ref": "#/components/schemas/TypedData"
          },
          "permit": {
            "description": "Beside a bond: to be signed as well.",
            "$ref": "#/components/schemas/TypedData"
          },
          "direct_tx": {
            "$ref": "#/components/schemas/DirectTransaction"
          },
          "expires_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "action",
          "typed_data",
          "expires_at"
        ],
        "additionalProperties": false,
        "description": "What the owner signs and posts back."
      },
      "Gpu": {
        "type": "object",
        "properties": {
          "vendor": {
            "type": "string",
            "maxLength": 64
          },
          "model": {
            "type": "string",
            "maxLength": 128
          },
          "vram_mb": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1099511627776
          }
        },
        "required": [
          "vendor",
          "model",
          "vram_mb"
        ],
        "additionalProperties": false
      },
      "Hardware": {
        "type": "object",
        "properties": {
          "cpu_model": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 128
              },
              {
                "type": "null"
              }
            ]
          },
          "cpu_cores": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "cpu_threads": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "ram_mb": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "storage_free_mb": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "gpu": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/Gpu"
              },
              {
                "type": "null"
              }
            ]
          },
          "network": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "wifi",
                  "ethernet",
                  "cellular",
                  "none"
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "battery": {
            "default": null,
            "type": [
              "boolean",
              "null"
            ]
          },
          "os": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          },
          "arch": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 32
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "cpu_model",
          "cpu_cores",
          "cpu_threads",
          "ram_mb",
          "storage_free_mb",
          "gpu",
          "network",
          "battery",
          "os",
          "arch"
        ],
        "additionalProperties": false,
        "description": "Null: unknown."
      },
      "HardwareInput": {
        "type": "object",
        "properties": {
          "cpu_model": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 128
              },
              {
                "type": "null"
              }
            ]
          },
          "cpu_cores": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "cpu_threads": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "ram_mb": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "storage_free_mb": {
            "default": null,
            "anyOf": [
              {
                "type": "integer",
                "minimum": 0,
                "maximum": 1099511627776
              },
              {
                "type": "null"
              }
            ]
          },
          "gpu": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/Gpu"
              },
              {
                "type": "null"
              }
            ]
          },
          "network": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "wifi",
                  "ethernet",
                  "cellular",
                  "none"
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "battery": {
            "default": null,
            "type": [
              "boolean",
              "null"
            ]
          },
          "os": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          },
          "arch": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 32
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false,
        "description": "Null or left out: unknown."
      },
      "Heartbeat": {
        "type": "object",
        "properties": {
          "status": {
            "default": "online",
            "type": "string",
            "enum": [
              "online",
              "idle",
              "faulty"
            ]
          }
        },
        "additionalProperties": false
      },
      "HeartbeatAnswer": {
        "type": "object",
        "properties": {
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "status": {
            "type": "string",
            "enum": [
              "pending",
              "approved",
              "revoked"
            ]
          },
          "heard_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "next_in_secs": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "When the next one is expected."
          }
        },
        "required": [
          "node_id",
          "status",
          "heard_at",
          "next_in_secs"
        ],
        "additionalProperties": false
      },
      "HelpfulCount": {
        "type": "object",
        "properties": {
          "helpful": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          }
        },
        "required": [
          "helpful"
        ],
        "additionalProperties": false
      },
      "HttpsUrl": {
        "type": "string",
        "maxLength": 2048,
        "format": "uri",
        "pattern": "^https://"
      },
      "Listing": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64
          },
          "tagline": {
            "type": "string",
            "minLength": 0,
            "maxLength": 120
          },
          "description": {
            "type": "string",
            "minLength": 0,
            "maxLength": 8000
          },
          "category": {
            "$ref": "#/components/schemas/Category"
          },
          "tags": {
            "maxItems": 8,
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 32
            }
          },
          "icon": {
            "type": "string",
            "maxLength": 512,
            "format": "uri"
          },
          "banner": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 512,
                "format": "uri"
              },
              {
                "type": "null"
              }
            ]
          },
          "video": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 512,
                "format": "uri"
              },
              {
                "type": "null"
              }
            ]
          },
          "website": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 512,
                "format": "uri"
              },
              {
                "type": "null"
              }
            ]
          },
          "docs": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 512,
                "format": "uri"
              },
              {
                "type": "null"
              }
            ]
          },
          "support": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 512,
                "format": "uri"
              },
              {
                "type": "null"
              }
            ]
          },
          "screenshots": {
            "maxItems": 8,
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 512,
              "format": "uri"
            }
          },
          "features": {
            "maxItems": 12,
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 0,
              "maxLength": 500
            }
          },
          "accent_color": {
            "$ref": "#/components/schemas/AccentColor"
          }
        },
        "required": [
          "name",
          "tagline",
          "description",
          "category",
          "tags",
          "icon",
          "banner",
          "video",
          "website",
          "docs",
          "support",
          "screenshots",
          "features",
          "accent_color"
        ],
        "additionalProperties": false,
        "description": "What people read."
      },
      "ListingStatus": {
        "type": "string",
        "enum": [
          "draft",
          "submitted",
          "pending_review",
          "listed",
          "paused",
          "underfunded",
          "rejected",
          "delisted"
        ]
      },
      "ManifestInput": {
        "type": "object",
        "properties": {
          "manifest": {
            "description": "A ProjectManifest, or what is to become one: problems are answered, not refused."
          }
        },
        "required": [
          "manifest"
        ],
        "additionalProperties": false
      },
      "Me": {
        "type": "object",
        "properties": {
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "roles": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "miner",
                "developer",
                "operator"
              ]
            }
          },
          "devices": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Bound devices."
          },
          "subscriptions": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Subscriptions that are not closed."
          },
          "developer": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/OwnDeveloper"
              },
              {
                "type": "null"
              }
            ]
          },
          "faucet_next_eligible_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ],
            "description": "Null when nothing has to be waited for."
          }
        },
        "required": [
          "address",
          "roles",
          "devices",
          "subscriptions",
          "developer",
          "faucet_next_eligible_at"
        ],
        "additionalProperties": false
      },
      "Module": {
        "type": "object",
        "properties": {
          "manifest_address": {
            "description": "Computed from the artifact; names the module everywhere.",
            "$ref": "#/components/schemas/Bytes32"
          },
          "name": {
            "type": "string"
          },
          "language": {
            "type": "string"
          },
          "functions": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "Exported functions; the index is the \`func_id\`."
          },
          "manifest": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {},
            "description": "The manifest inside the artifact."
          },
          "hbc_size": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Bytes of the artifact."
          },
          "stateless": {
            "type": "boolean",
            "description": "Imports neither storage nor cross-module calls; only such a module can be a committee worker."
          },
          "uploader": {
            "$ref": "#/components/schemas/Address"
          },
          "exec_count": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "deployed_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "manifest_address",
          "name",
          "language",
          "functions",
          "manifest",
          "hbc_size",
          "stateless",
          "uploader",
          "exec_count",
          "deployed_at"
        ],
        "additionalProperties": false
      },
      "ModulePage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Module"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "ModuleUpload": {
        "type": "object",
        "properties": {
          "hbc_b64": {
            "type": "string",
            "description": "The artifact bytes in base64, standard alphabet with padding; at most 16 MiB decoded.",
            "contentEncoding": "base64"
          }
        },
        "required": [
          "hbc_b64"
        ],
        "additionalProperties": false
      },
      "NetworkParams": {
        "type": "object",
        "properties": {
          "params": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          },
          "params_hash": {
            "$ref": "#/components/schemas/Bytes32"
          }
        },
        "required": [
          "params",
          "params_hash"
        ],
        "additionalProperties": false
      },
      "Node": {
        "type": "object",
        "properties": {
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "public_key": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "role": {
            "type": "string",
            "enum": [
              "miner",
              "validator"
            ]
          },
          "status": {
            "type": "string",
            "enum": [
              "pending",
              "approved",
              "revoked"
            ],
            "description": "A validator counts once an operator approved it."
          },
          "url": {
            "type": "string"
          },
          "region": {
            "type": [
              "string",
              "null"
            ]
          },
          "engine": {
            "type": [
              "string",
              "null"
            ]
          },
          "nodectl_version": {
            "type": [
              "string",
              "null"
            ]
          },
          "capabilities": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "health": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "online",
                  "idle",
                  "faulty"
                ]
              },
              {
                "type": "null"
              }
            ],
            "description": "As of its last heartbeat."
          },
          "last_heartbeat_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "registered_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "node_id",
          "public_key",
          "role",
          "status",
          "url",
          "region",
          "engine",
          "nodectl_version",
          "capabilities",
          "health",
          "last_heartbeat_at",
          "registered_at",
          "updated_at"
        ],
        "additionalProperties": false
      },
      "NodeDecision": {
        "type": "object",
        "properties": {
          "reason": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "NodeId": {
        "type": "string",
        "description": "Name of a node, derived from its public key."
      },
      "NodePage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Node"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "NodeRegistration": {
        "type": "object",
        "properties": {
          "url": {
            "type": "string",
            "maxLength": 512,
            "description": "https with a domain name; in a local network also http on the machine itself.",
            "format": "uri"
          },
          "role": {
            "type": "string",
            "enum": [
              "miner",
              "validator"
            ]
          },
          "engine": {
            "$ref": "#/components/schemas/Engine"
          },
          "nodectl_version": {
            "type": "string",
            "maxLength": 64,
            "pattern": "^\\\\d+\\\\.\\\\d+\\\\.\\\\d+(?:[-+][0-9A-Za-z.+-]+)?$"
          },
          "capabilities": {
            "default": [],
            "maxItems": 32,
            "type": "array",
            "items": {
              "type": "string",
              "pattern": "^[a-z][a-z0-9-]{0,31}$"
            }
          },
          "region": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "maxLength": 64
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "url",
          "role",
          "engine",
          "nodectl_version"
        ],
        "additionalProperties": false
      },
      "Nonce": {
        "type": "object",
        "properties": {
          "nonce": {
            "type": "string",
            "minLength": 17,
            "maxLength": 17
          },
          "issued_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "expires_at": {
            "description": "The exchange must happen before.",
            "$ref": "#/components/schemas/Timestamp"
          },
          "message": {
            "type": "string",
            "description": "The exact text to sign (EIP-4361)."
          }
        },
        "required": [
          "nonce",
          "issued_at",
          "expires_at",
          "message"
        ],
        "additionalProperties": false
      },
      "NonceRequest": {
        "type": "object",
        "properties": {
          "address": {
            "description": "The wallet that will sign, in lower case.",
            "$ref": "#/components/schemas/Address"
          },
          "domain": {
            "type": "string",
            "maxLength": 255,
            "description": "Host of the page that asks for the signature; \`hosts.sign_in\` of \`GET /\` lists them."
          }
        },
        "required": [
          "address",
          "domain"
        ],
        "additionalProperties": false
      },
      "OwnDeveloper": {
        "type": "object",
        "properties": {
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "display_name": {
            "type": "string"
          },
          "bio": {
            "type": [
              "string",
              "null"
            ]
          },
          "website": {
            "type": [
              "string",
              "null"
            ]
          },
          "logo": {
            "type": [
              "string",
              "null"
            ]
          },
          "location": {
            "type": [
              "string",
              "null"
            ]
          },
          "social": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {
              "type": "string"
            }
          },
          "verified": {
            "type": "boolean"
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "email": {
            "type": [
              "string",
              "null"
            ]
          },
          "enrollment": {
            "type": "string",
            "enum": [
              "none",
              "draft",
              "pending",
              "active",
              "rejected"
            ]
          },
          "verification": {
            "type": "string",
            "enum": [
              "unverified",
              "pending",
              "verified",
              "rejected"
            ]
          },
          "developer_type": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "individual",
                  "organization"
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "reason": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "address",
          "display_name",
          "bio",
          "website",
          "logo",
          "location",
          "social",
          "verified",
          "created_at",
          "updated_at",
          "email",
          "enrollment",
          "verification",
          "developer_type",
          "reason"
        ],
        "additionalProperties": false
      },
      "OwnProjectPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectSummary"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "PayoutRequest": {
        "type": "object",
        "properties": {
          "payout_address": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Address"
              },
              {
                "type": "null"
              }
            ]
          },
          "payout": {
            "description": "The same under another name.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Address"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false,
        "description": "Null, the zero address or the owner resets it to the owner."
      },
      "Preferences": {
        "type": "object",
        "properties": {
          "watchlist": {
            "maxItems": 200,
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Bytes32"
            },
            "description": "Project ids."
          },
          "recent_searches": {
            "maxItems": 20,
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 100
            }
          },
          "saved_addresses": {
            "maxItems": 20,
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "address": {
                  "$ref": "#/components/schemas/Address"
                },
                "label": {
                  "type": "string",
                  "maxLength": 64
                }
              },
              "required": [
                "address",
                "label"
              ],
              "additionalProperties": false
            }
          },
          "earnings_goal": {
            "anyOf": [
              {
                "type": "object",
                "properties": {
                  "token": {
                    "type": "string",
                    "maxLength": 64
                  },
                  "amount": {
                    "type": "string",
                    "pattern": "^(0|[1-9][0-9]{0,77})$"
                  },
                  "period": {
                    "type": "string",
                    "enum": [
                      "day",
                      "week",
                      "month"
                    ]
                  }
                },
                "required": [
                  "token",
                  "amount",
                  "period"
                ],
                "additionalProperties": false
              },
              {
                "type": "null"
              }
            ]
          },
          "notifications": {
            "type": "object",
            "additionalProperties": {
              "type": "boolean"
            }
          },
          "display_name": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 32
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "watchlist",
          "recent_searches",
          "saved_addresses",
          "earnings_goal",
          "notifications",
          "display_name"
        ],
        "additionalProperties": false
      },
      "PreferencesInput": {
        "type": "object",
        "properties": {
          "watchlist": {
            "default": [],
            "maxItems": 200,
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Bytes32"
            },
            "description": "Project ids."
          },
          "recent_searches": {
            "default": [],
            "maxItems": 20,
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 100
            }
          },
          "saved_addresses": {
            "default": [],
            "maxItems": 20,
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "address": {
                  "$ref": "#/components/schemas/Address"
                },
                "label": {
                  "type": "string",
                  "maxLength": 64
                }
              },
              "required": [
                "address",
                "label"
              ],
              "additionalProperties": false
            }
          },
          "earnings_goal": {
            "default": null,
            "anyOf": [
              {
                "type": "object",
                "properties": {
                  "token": {
                    "type": "string",
                    "maxLength": 64
                  },
                  "amount": {
                    "type": "string",
                    "pattern": "^(0|[1-9][0-9]{0,77})$"
                  },
                  "period": {
                    "type": "string",
                    "enum": [
                      "day",
                      "week",
                      "month"
                    ]
                  }
                },
                "required": [
                  "token",
                  "amount",
                  "period"
                ],
                "additionalProperties": false
              },
              {
                "type": "null"
              }
            ]
          },
          "notifications": {
            "default": {},
            "type": "object",
            "additionalProperties": {
              "type": "boolean"
            }
          },
          "display_name": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "maxLength": 32
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "PreparedManifest": {
        "type": "object",
        "properties": {
          "valid": {
            "type": "boolean"
          },
          "problems": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "path": {
                  "type": "string"
                },
                "code": {
                  "type": "string"
                },
                "message": {
                  "type": "string"
                }
              },
              "required": [
                "path",
                "code",
                "message"
              ],
              "additionalProperties": false
            }
          },
          "canonical": {
            "description": "The text to sign by EIP-191; null while there are problems.",
            "type": [
              "string",
              "null"
            ]
          },
          "manifest_hash": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ]
          },
          "consensus_hash": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ]
          },
          "project_id": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ],
            "description": "Known as soon as developer and slug are valid."
          },
          "vault": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Address"
              },
              {
                "type": "null"
              }
            ],
            "description": "What \`consensus.economics.vault\` has to be; null where this hub has no vault factory."
          },
          "tier_changes": {
            "anyOf": [
              {
                "type": "array",
                "items": {
                  "type": "string",
                  "enum": [
                    "consensus",
                    "scheduling",
                    "listing"
                  ]
                }
              },
              {
                "type": "null"
              }
            ],
            "description": "Compared with the version in force; null for a first version, and for a project of another wallet."
          }
        },
        "required": [
          "valid",
          "problems",
          "canonical",
          "manifest_hash",
          "consensus_hash",
          "project_id",
          "vault",
          "tier_changes"
        ],
        "additionalProperties": false
      },
      "Project": {
        "type": "object",
        "properties": {
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "slug": {
            "$ref": "#/components/schemas/Slug"
          },
          "developer": {
            "$ref": "#/components/schemas/Address"
          },
          "developer_name": {
            "type": [
              "string",
              "null"
            ]
          },
          "developer_verified": {
            "type": "boolean"
          },
          "name": {
            "type": "string"
          },
          "tagline": {
            "type": [
              "string",
              "null"
            ]
          },
          "category": {
            "$ref": "#/components/schemas/Category"
          },
          "tags": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "icon": {
            "type": "string",
            "format": "uri"
          },
          "accent_color": {
            "$ref": "#/components/schemas/AccentColor"
          },
          "listing_status": {
            "$ref": "#/components/schemas/ListingStatus"
          },
          "device_classes": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/DeviceClass"
            }
          },
          "token": {
            "$ref": "#/components/schemas/Token"
          },
          "reward_model": {
            "$ref": "#/components/schemas/RewardModel"
          },
          "min_collateral": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "miners": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "avg_daily_reward_per_miner": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "average_rating_x100": {
            "anyOf": [
              {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              },
              {
                "type": "null"
              }
            ]
          },
          "review_count": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "trending": {
            "type": "boolean"
          },
          "featured": {
            "type": "boolean"
          },
          "listed_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": 9007199254740991,
            "description": "The version in force."
          },
          "manifest_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "consensus_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "pending_version": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/ProjectVersion"
              },
              {
                "type": "null"
              }
            ],
            "description": "The newest version that waits for the chain or for its epoch."
          },
          "consensus": {
            "$ref": "#/components/schemas/Consensus"
          },
          "scheduling": {
            "$ref": "#/components/schemas/Scheduling"
          },
          "listing": {
            "$ref": "#/components/schemas/Listing"
          },
          "vault": {
            "$ref": "#/components/schemas/Address"
          },
          "registry_tx": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "review": {
            "$ref": "#/components/schemas/ReviewDecision"
          },
          "stats": {
            "$ref": "#/components/schemas/ProjectStats"
          },
          "economics": {
            "$ref": "#/components/schemas/ProjectEconomics"
          }
        },
        "required": [
          "project_id",
          "slug",
          "developer",
          "developer_name",
          "developer_verified",
          "name",
          "tagline",
          "category",
          "tags",
          "icon",
          "accent_color",
          "listing_status",
          "device_classes",
          "token",
          "reward_model",
          "min_collateral",
          "miners",
          "avg_daily_reward_per_miner",
          "average_rating_x100",
          "review_count",
          "trending",
          "featured",
          "version",
          "manifest_hash",
          "consensus_hash",
          "pending_version",
          "consensus",
          "scheduling",
          "listing",
          "vault",
          "review",
          "stats",
          "economics"
        ],
        "additionalProperties": false
      },
      "ProjectDecision": {
        "type": "object",
        "properties": {
          "action": {
            "type": "string",
            "enum": [
              "approve",
              "reject",
              "pause",
              "resume",
              "delist"
            ]
          },
          "reason": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000
              },
              {
                "type": "null"
              }
            ]
          },
          "conditions": {
            "default": [],
            "description": "What the developer has to keep to; shown with the project.",
            "maxItems": 20,
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        },
        "required": [
          "action"
        ],
        "additionalProperties": false
      },
      "ProjectEconomics": {
        "type": "object",
        "properties": {
          "token": {
            "$ref": "#/components/schemas/Token"
          },
          "reward_model": {
            "$ref": "#/components/schemas/RewardModel"
          },
          "reward_per_unit": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "daily_emission": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "epoch_cap": {
            "description": "Most an epoch pays, fees included.",
            "$ref": "#/components/schemas/TokenAmount"
          },
          "epoch_secs": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "fee_split_bp": {
            "$ref": "#/components/schemas/FeeSplit"
          },
          "min_collateral": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "slashing_bp": {
            "$ref": "#/components/schemas/SlashingRates"
          },
          "dispute_window_secs": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "vault": {
            "type": "object",
            "properties": {
              "address": {
                "$ref": "#/components/schemas/Address"
              },
              "deployed": {
                "type": "boolean"
              },
              "config_matches_manifest": {
                "type": "boolean",
                "description": "Whether it pays the token of the manifest and belongs to its developer."
              },
              "balance": {
                "$ref": "#/components/schemas/TokenAmount"
              },
              "reserved": {
                "description": "Posted for epochs and not yet paid out.",
                "$ref": "#/components/schemas/TokenAmount"
              },
              "total_paid": {
                "description": "To miners, developer and treasury.",
                "$ref": "#/components/schemas/TokenAmount"
              },
              "pending_withdrawal": {
                "$ref": "#/components/schemas/TokenAmount"
              },
              "runway_epochs": {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991,
                "description": "Epochs at full cap that the free balance covers."
              },
              "runway_days": {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              }
            },
            "required": [
              "address",
              "deployed",
              "config_matches_manifest",
              "balance",
              "reserved",
              "total_paid",
              "pending_withdrawal",
              "runway_epochs",
              "runway_days"
            ],
            "additionalProperties": false
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "token",
          "reward_model",
          "reward_per_unit",
          "daily_emission",
          "epoch_cap",
          "epoch_secs",
          "fee_split_bp",
          "min_collateral",
          "slashing_bp",
          "dispute_window_secs",
          "vault",
          "created_at"
        ],
        "additionalProperties": false
      },
      "ProjectEpoch": {
        "type": "object",
        "properties": {
          "epoch": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "epoch_secs": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "starts_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "settled_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "rounds": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "rounds_finalized": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "rounds_fallback": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "units": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "miners": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "paid_to_miners": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "slashes": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          }
        },
        "required": [
          "epoch",
          "epoch_secs",
          "starts_at",
          "settled_at",
          "rounds",
          "rounds_finalized",
          "rounds_fallback",
          "units",
          "miners",
          "paid_to_miners",
          "slashes"
        ],
        "additionalProperties": false
      },
      "ProjectEpochPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectEpoch"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "ProjectManifest": {
        "type": "object",
        "properties": {
          "v": {
            "type": "number",
            "const": 1
          },
          "network": {
            "type": "string"
          },
          "chain_id": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "developer": {
            "$ref": "#/components/schemas/Address"
          },
          "slug": {
            "$ref": "#/components/schemas/Slug"
          },
          "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": 9007199254740991
          },
          "previous": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ],
            "description": "\`manifest_hash\` of the version before; null in version 1."
          },
          "consensus": {
            "$ref": "#/components/schemas/Consensus"
          },
          "scheduling": {
            "$ref": "#/components/schemas/Scheduling"
          },
          "listing": {
            "$ref": "#/components/schemas/Listing"
          }
        },
        "required": [
          "v",
          "network",
          "chain_id",
          "developer",
          "slug",
          "version",
          "previous",
          "consensus",
          "scheduling",
          "listing"
        ],
        "additionalProperties": false,
        "description": "Everything a developer signs."
      },
      "ProjectMiner": {
        "type": "object",
        "properties": {
          "miner": {
            "description": "The address that is paid.",
            "$ref": "#/components/schemas/Address"
          },
          "rounds": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Credited rounds."
          },
          "units": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "earned": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "first_credited_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "last_credited_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "miner",
          "rounds",
          "units",
          "earned",
          "first_credited_at",
          "last_credited_at"
        ],
        "additionalProperties": false
      },
      "ProjectMinerPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectMiner"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "ProjectPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectSummary"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "ProjectStats": {
        "type": "object",
        "properties": {
          "period": {
            "type": "string",
            "enum": [
              "24h",
              "7d",
              "30d",
              "all"
            ]
          },
          "miners_subscribed": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Bonded subscriptions."
          },
          "miners_active": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Miners that the last epoch credited."
          },
          "devices_by_class": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {
              "type": "integer",
              "minimum": -9007199254740991,
              "maximum": 9007199254740991
            }
          },
          "rounds": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "rounds_finalized": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "rounds_fallback": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "units": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "paid_to_miners": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "avg_daily_reward_per_miner": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "median_finality_ms": {
            "description": "Absent while nothing was settled.",
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "uptime_bp": {
            "description": "Absent while nothing was settled.",
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "slashes": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "growth_bp": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Change in active miners since the period before."
          }
        },
        "required": [
          "period",
          "miners_subscribed",
          "miners_active",
          "devices_by_class",
          "rounds",
          "rounds_finalized",
          "rounds_fallback",
          "units",
          "paid_to_miners",
          "avg_daily_reward_per_miner",
          "slashes",
          "growth_bp"
        ],
        "additionalProperties": false
      },
      "ProjectSummary": {
        "type": "object",
        "properties": {
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "slug": {
            "$ref": "#/components/schemas/Slug"
          },
          "developer": {
            "$ref": "#/components/schemas/Address"
          },
          "developer_name": {
            "type": [
              "string",
              "null"
            ]
          },
          "developer_verified": {
            "type": "boolean"
          },
          "name": {
            "type": "string"
          },
          "tagline": {
            "type": [
              "string",
              "null"
            ]
          },
          "category": {
            "$ref": "#/components/schemas/Category"
          },
          "tags": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "icon": {
            "type": "string",
            "format": "uri"
          },
          "accent_color": {
            "$ref": "#/components/schemas/AccentColor"
          },
          "listing_status": {
            "$ref": "#/components/schemas/ListingStatus"
          },
          "device_classes": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/DeviceClass"
            }
          },
          "token": {
            "$ref": "#/components/schemas/Token"
          },
          "reward_model": {
            "$ref": "#/components/schemas/RewardModel"
          },
          "min_collateral": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "miners": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "avg_daily_reward_per_miner": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "average_rating_x100": {
            "anyOf": [
              {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              },
              {
                "type": "null"
              }
            ]
          },
          "review_count": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "trending": {
            "type": "boolean"
          },
          "featured": {
            "type": "boolean"
          },
          "listed_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": 9007199254740991,
            "description": "The version in force."
          }
        },
        "required": [
          "project_id",
          "slug",
          "developer",
          "developer_name",
          "developer_verified",
          "name",
          "tagline",
          "category",
          "tags",
          "icon",
          "accent_color",
          "listing_status",
          "device_classes",
          "token",
          "reward_model",
          "min_collateral",
          "miners",
          "avg_daily_reward_per_miner",
          "average_rating_x100",
          "review_count",
          "trending",
          "featured",
          "version"
        ],
        "additionalProperties": false
      },
      "ProjectVersion": {
        "type": "object",
        "properties": {
          "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": 9007199254740991
          },
          "manifest_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "consensus_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "tiers_changed": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "consensus",
                "scheduling",
                "listing"
              ]
            },
            "description": "Compared with the version then in force."
          },
          "status": {
            "type": "string",
            "enum": [
              "submitted",
              "registered",
              "pending",
              "active",
              "superseded",
              "rejected"
            ]
          },
          "publish_tx": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "published_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "effective_epoch": {
            "anyOf": [
              {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              },
              {
                "type": "null"
              }
            ],
            "description": "First epoch, counted in its own \`epoch_secs\`."
          },
          "submitted_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "version",
          "manifest_hash",
          "consensus_hash",
          "tiers_changed",
          "status",
          "effective_epoch",
          "submitted_at"
        ],
        "additionalProperties": false
      },
      "ProjectVersionDetail": {
        "type": "object",
        "properties": {
          "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": 9007199254740991
          },
          "manifest_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "consensus_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "tiers_changed": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "consensus",
                "scheduling",
                "listing"
              ]
            },
            "description": "Compared with the version then in force."
          },
          "status": {
            "type": "string",
            "enum": [
              "submitted",
              "registered",
              "pending",
              "active",
              "superseded",
              "rejected"
            ]
          },
          "publish_tx": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "published_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "effective_epoch": {
            "anyOf": [
              {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              },
              {
                "type": "null"
              }
            ],
            "description": "First epoch, counted in its own \`epoch_secs\`."
          },
          "submitted_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "signed_manifest": {
            "$ref": "#/components/schemas/SignedManifest"
          }
        },
        "required": [
          "version",
          "manifest_hash",
          "consensus_hash",
          "tiers_changed",
          "status",
          "effective_epoch",
          "submitted_at",
          "signed_manifest"
        ],
        "additionalProperties": false
      },
      "ProjectVersionPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectVersion"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "Registration": {
        "type": "object",
        "properties": {
          "project": {
            "$ref": "#/components/schemas/Project"
          },
          "register_tx": {
            "$ref": "#/components/schemas/DirectTransaction"
          },
          "register_by_sig": {
            "description": "To be signed and posted to …/register; left out while this hub has no registry.",
            "$ref": "#/components/schemas/GaslessPayload"
          }
        },
        "required": [
          "project",
          "register_tx"
        ],
        "additionalProperties": false
      },
      "RelayerState": {
        "type": "object",
        "properties": {
          "relayer": {
            "anyOf": [
              {
                "type": "object",
                "properties": {
                  "status": {
                    "type": "string",
                    "enum": [
                      "ok",
                      "unavailable"
                    ]
                  },
                  "signer": {
                    "anyOf": [
                      {
                        "$ref": "#/components/schemas/Address"
                      },
                      {
                        "type": "null"
                      }
                    ]
                  },
                  "balance": {
                    "description": "Native base units; null while the chain is down.",
                    "type": [
                      "string",
                      "null"
                    ]
                  },
                  "open": {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991,
                    "description": "Actions that are not final."
                  },
                  "oldest_open_at": {
                    "anyOf": [
                      {
                        "$ref": "#/components/schemas/Timestamp"
                      },
                      {
                        "type": "null"
                      }
                    ]
                  },
                  "next_nonce": {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991
                  }
                },
                "required": [
                  "status",
                  "signer",
                  "balance",
                  "open",
                  "oldest_open_at",
                  "next_nonce"
                ],
                "additionalProperties": false
              },
              {
                "type": "null"
              }
            ],
            "description": "Null while this hub relays nothing."
          },
          "dead_letters": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "message_id": {
                  "type": "string"
                },
                "queue": {
                  "type": "string"
                },
                "body": {
                  "type": "string",
                  "description": "The message as JSON text."
                },
                "attempts": {
                  "type": "integer",
                  "minimum": -9007199254740991,
                  "maximum": 9007199254740991
                },
                "died_at": {
                  "$ref": "#/components/schemas/Timestamp"
                }
              },
              "required": [
                "message_id",
                "queue",
                "body",
                "attempts",
                "died_at"
              ],
              "additionalProperties": false
            },
            "description": "Messages that failed every attempt, the newest 50."
          }
        },
        "required": [
          "relayer",
          "dead_letters"
        ],
        "additionalProperties": false
      },
      "Review": {
        "type": "object",
        "properties": {
          "review_id": {
            "type": "string"
          },
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "author": {
            "$ref": "#/components/schemas/Address"
          },
          "author_name": {
            "description": "From the author’s preferences.",
            "type": [
              "string",
              "null"
            ]
          },
          "rating": {
            "type": "integer",
            "minimum": 1,
            "maximum": 5
          },
          "comment": {
            "type": "string"
          },
          "helpful": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "verified_miner": {
            "type": "boolean",
            "description": "Whether the author had credited rounds on the project."
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "review_id",
          "project_id",
          "author",
          "author_name",
          "rating",
          "comment",
          "helpful",
          "verified_miner",
          "created_at",
          "updated_at"
        ],
        "additionalProperties": false
      },
      "ReviewDecision": {
        "type": "object",
        "properties": {
          "status": {
            "type": "string",
            "enum": [
              "pending",
              "approved",
              "rejected",
              "paused",
              "delisted"
            ]
          },
          "reason": {
            "type": [
              "string",
              "null"
            ]
          },
          "conditions": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "decided_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "status",
          "reason",
          "conditions",
          "decided_at"
        ],
        "additionalProperties": false
      },
      "ReviewInput": {
        "type": "object",
        "properties": {
          "rating": {
            "type": "integer",
            "minimum": 1,
            "maximum": 5
          },
          "comment": {
            "type": "string",
            "maxLength": 2000
          }
        },
        "required": [
          "rating",
          "comment"
        ],
        "additionalProperties": false
      },
      "ReviewPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Review"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          },
          "average_rating_x100": {
            "anyOf": [
              {
                "type": "integer",
                "minimum": -9007199254740991,
                "maximum": 9007199254740991
              },
              {
                "type": "null"
              }
            ]
          },
          "count": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          }
        },
        "required": [
          "items",
          "next_cursor",
          "average_rating_x100",
          "count"
        ],
        "additionalProperties": false
      },
      "ReviewQueuePage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProjectSummary"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "RewardModel": {
        "type": "string",
        "enum": [
          "per-unit",
          "epoch-pool"
        ]
      },
      "Scheduling": {
        "type": "object",
        "properties": {
          "public_tasks": {
            "type": "boolean"
          },
          "requirements": {
            "type": "object",
            "properties": {
              "device_classes": {
                "minItems": 1,
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/DeviceClass"
                }
              },
              "cpu_cores": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9007199254740991
              },
              "ram_mb": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9007199254740991
              },
              "storage_mb": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9007199254740991
              },
              "min_benchmark": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9007199254740991
              },
              "gpu": {
                "type": "null"
              },
              "engines": {
                "minItems": 1,
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Engine"
                }
              },
              "attestation": {
                "maxItems": 0,
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            },
            "required": [
              "device_classes",
              "cpu_cores",
              "ram_mb",
              "storage_mb",
              "min_benchmark",
              "gpu",
              "engines",
              "attestation"
            ],
            "additionalProperties": false
          },
          "sla": {
            "type": "object",
            "properties": {
              "max_latency_ms": {
                "type": "integer",
                "minimum": 100,
                "maximum": 600000
              },
              "min_uptime_bp": {
                "type": "integer",
                "minimum": 0,
                "maximum": 10000
              }
            },
            "required": [
              "max_latency_ms",
              "min_uptime_bp"
            ],
            "additionalProperties": false
          }
        },
        "required": [
          "public_tasks",
          "requirements",
          "sla"
        ],
        "additionalProperties": false,
        "description": "Which devices suit."
      },
      "Session": {
        "type": "object",
        "properties": {
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "expires_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "roles": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "miner",
                "developer",
                "operator"
              ]
            }
          }
        },
        "required": [
          "address",
          "expires_at",
          "roles"
        ],
        "additionalProperties": false
      },
      "SessionWithToken": {
        "type": "object",
        "properties": {
          "token": {
            "type": "string",
            "description": "Send as \`Authorization: Bearer <token>\`. Shown only here."
          },
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "expires_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "roles": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "miner",
                "developer",
                "operator"
              ]
            }
          }
        },
        "required": [
          "token",
          "address",
          "expires_at",
          "roles"
        ],
        "additionalProperties": false
      },
      "SignedGaslessBody": {
        "type": "object",
        "properties": {
          "typed_data": {
            "$ref": "#/components/schemas/TypedData"
          },
          "signature": {
            "$ref": "#/components/schemas/EvmSignature"
          },
          "permit": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/TypedData"
              },
              {
                "type": "null"
              }
            ]
          },
          "permit_signature": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/EvmSignature"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "typed_data",
          "signature"
        ],
        "additionalProperties": false,
        "description": "A payload with the signature of its owner."
      },
      "SignedManifest": {
        "type": "object",
        "properties": {
          "manifest": {
            "$ref": "#/components/schemas/ProjectManifest"
          },
          "sig_type": {
            "type": "string",
            "const": "eip191"
          },
          "signature": {
            "$ref": "#/components/schemas/EvmSignature"
          },
          "manifest_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "consensus_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          }
        },
        "required": [
          "manifest",
          "sig_type",
          "signature",
          "manifest_hash",
          "consensus_hash",
          "project_id"
        ],
        "additionalProperties": false
      },
      "SignedManifestInput": {
        "type": "object",
        "properties": {
          "manifest": {
            "$ref": "#/components/schemas/ProjectManifest"
          },
          "sig_type": {
            "type": "string",
            "const": "eip191"
          },
          "signature": {
            "$ref": "#/components/schemas/EvmSignature"
          },
          "manifest_hash": {
            "default": null,
            "description": "When stated, must be the one that follows.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ]
          },
          "consensus_hash": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ]
          },
          "project_id": {
            "default": null,
            "anyOf": [
              {
                "$ref": "#/components/schemas/Bytes32"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "manifest",
          "sig_type",
          "signature"
        ],
        "additionalProperties": false
      },
      "SiweRequest": {
        "type": "object",
        "properties": {
          "message": {
            "type": "string",
            "description": "The signed text, character for character.",
            "maxLength": 4096
          },
          "signature": {
            "type": "string",
            "description": "Signature over the text (\`personal_sign\`), lower-case hex; longer ones are checked by EIP-1271.",
            "maxLength": 8194
          }
        },
        "required": [
          "message",
          "signature"
        ],
        "additionalProperties": false
      },
      "SlashingRates": {
        "type": "object",
        "properties": {
          "invalid_result": {
            "type": "integer",
            "minimum": 0,
            "maximum": 5000
          },
          "missed_sla": {
            "type": "integer",
            "minimum": 0,
            "maximum": 500
          }
        },
        "required": [
          "invalid_result",
          "missed_sla"
        ],
        "additionalProperties": false,
        "description": "Basis points of the collateral."
      },
      "Slug": {
        "type": "string",
        "pattern": "^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$"
      },
      "Status": {
        "type": "object",
        "properties": {
          "status": {
            "type": "string",
            "enum": [
              "ok",
              "degraded"
            ]
          },
          "database": {
            "type": "string",
            "enum": [
              "ok",
              "unavailable"
            ]
          },
          "module_storage": {
            "type": "string",
            "enum": [
              "ok",
              "unavailable"
            ]
          },
          "chain": {
            "type": "object",
            "properties": {
              "indexed_block": {
                "anyOf": [
                  {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991
                  },
                  {
                    "type": "null"
                  }
                ]
              },
              "head_block": {
                "anyOf": [
                  {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991
                  },
                  {
                    "type": "null"
                  }
                ]
              },
              "lag_secs": {
                "anyOf": [
                  {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991
                  },
                  {
                    "type": "null"
                  }
                ],
                "description": "Seconds since the index last had everything the chain had."
              },
              "rpc_url": {
                "description": "Given where anyone may reach the chain this way.",
                "type": "string",
                "format": "uri"
              }
            },
            "required": [
              "indexed_block",
              "head_block",
              "lag_secs"
            ],
            "additionalProperties": false
          },
          "queue": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "ok",
                  "unavailable"
                ]
              },
              {
                "type": "null"
              }
            ],
            "description": "Null while this hub relays nothing."
          },
          "relayer": {
            "anyOf": [
              {
                "type": "string",
                "enum": [
                  "ok",
                  "unavailable"
                ]
              },
              {
                "type": "null"
              }
            ],
            "description": "Null while this hub relays nothing."
          },
          "version": {
            "type": "string"
          }
        },
        "required": [
          "status",
          "database",
          "module_storage",
          "chain",
          "queue",
          "relayer",
          "version"
        ],
        "additionalProperties": false
      },
      "SubmittedVersion": {
        "type": "object",
        "properties": {
          "version": {
            "$ref": "#/components/schemas/ProjectVersion"
          },
          "publish_tx": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/DirectTransaction"
              },
              {
                "type": "null"
              }
            ],
            "description": "Publishes a changed consensus; null when the version is in force already, or without a chain."
          }
        },
        "required": [
          "version",
          "publish_tx"
        ],
        "additionalProperties": false
      },
      "Subscription": {
        "type": "object",
        "properties": {
          "subscription_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "status": {
            "type": "string",
            "enum": [
              "pending_collateral",
              "active",
              "paused",
              "jailed",
              "unbonding",
              "withdrawable",
              "closed"
            ]
          },
          "collateral": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "min_collateral": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "collateral_health": {
            "type": "string",
            "enum": [
              "healthy",
              "warning",
              "critical"
            ],
            "description": "\`healthy\` from 120 % of what the project asks for, \`warning\` from 100 %."
          },
          "payout_address": {
            "$ref": "#/components/schemas/Address"
          },
          "device_bound": {
            "type": "boolean",
            "description": "Whether the device is bound to the owner; if not, committees leave it out."
          },
          "release_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ],
            "description": "When unbonding ends."
          },
          "pending_slashes": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Slashes that may still take collateral."
          },
          "slashed_total": {
            "$ref": "#/components/schemas/TokenAmount"
          },
          "reputation": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "credited_rounds": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "missed_leases": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "disagreements": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "last_proof_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "started_at": {
            "anyOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              },
              {
                "type": "null"
              }
            ]
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "subscription_id",
          "project_id",
          "node_id",
          "owner",
          "status",
          "collateral",
          "min_collateral",
          "collateral_health",
          "payout_address",
          "device_bound",
          "release_at",
          "pending_slashes",
          "slashed_total",
          "reputation",
          "credited_rounds",
          "missed_leases",
          "disagreements",
          "last_proof_at",
          "started_at",
          "created_at"
        ],
        "additionalProperties": false
      },
      "SubscriptionInput": {
        "type": "object",
        "properties": {
          "project_id": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "node_id": {
            "type": "string",
            "maxLength": 128,
            "pattern": "[0-9a-f]{16}$"
          },
          "collateral": {
            "type": "string",
            "description": "Base units, in decimal; what the bond will be."
          }
        },
        "required": [
          "project_id",
          "node_id",
          "collateral"
        ],
        "additionalProperties": false
      },
      "SubscriptionPage": {
        "type": "object",
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Subscription"
            }
          },
          "next_cursor": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "items",
          "next_cursor"
        ],
        "additionalProperties": false
      },
      "Timestamp": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "Unix seconds."
      },
      "Token": {
        "type": "object",
        "properties": {
          "address": {
            "$ref": "#/components/schemas/Address"
          },
          "symbol": {
            "type": "string"
          },
          "name": {
            "type": "string"
          },
          "decimals": {
            "type": "integer",
            "minimum": 0,
            "maximum": 36
          }
        },
        "required": [
          "address",
          "symbol",
          "name",
          "decimals"
        ],
        "additionalProperties": false
      },
      "TokenAmount": {
        "type": "string",
        "pattern": "^(0|[1-9][0-9]{0,77})$",
        "description": "Base units, in decimal."
      },
      "Transaction": {
        "type": "object",
        "properties": {
          "id": {
            "description": "EIP-712 digest of the signed action.",
            "$ref": "#/components/schemas/Bytes32"
          },
          "action": {
            "type": "string"
          },
          "status": {
            "type": "string",
            "enum": [
              "queued",
              "sent",
              "confirmed",
              "reverted",
              "failed"
            ]
          },
          "tx_hash": {
            "$ref": "#/components/schemas/Bytes32"
          },
          "error": {
            "type": [
              "string",
              "null"
            ]
          },
          "confirmations": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "created_at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "updated_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "id",
          "action",
          "status",
          "error",
          "confirmations",
          "created_at",
          "updated_at"
        ],
        "additionalProperties": false
      },
      "TypedData": {
        "type": "object",
        "properties": {
          "domain": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          },
          "types": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          },
          "primaryType": {
            "type": "string"
          },
          "message": {
            "type": "object",
            "propertyNames": {
              "type": "string"
            },
            "additionalProperties": {}
          }
        },
        "required": [
          "domain",
          "types",
          "primaryType",
          "message"
        ],
        "additionalProperties": false,
        "description": "What \`eth_signTypedData_v4\` takes."
      },
      "UnboundDevice": {
        "type": "object",
        "properties": {
          "node_id": {
            "$ref": "#/components/schemas/NodeId"
          },
          "owner": {
            "$ref": "#/components/schemas/Address"
          },
          "unbound_at": {
            "$ref": "#/components/schemas/Timestamp"
          }
        },
        "required": [
          "node_id",
          "owner",
          "unbound_at"
        ],
        "additionalProperties": false
      },
      "Validators": {
        "type": "object",
        "properties": {
          "validators": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "node_id": {
                  "$ref": "#/components/schemas/NodeId"
                },
                "public_key": {
                  "$ref": "#/components/schemas/Bytes32"
                },
                "url": {
                  "type": "string",
                  "format": "uri"
                },
                "region": {
                  "type": [
                    "string",
                    "null"
                  ]
                }
              },
              "required": [
                "node_id",
                "public_key",
                "url",
                "region"
              ],
              "additionalProperties": false
            }
          },
          "count": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991
          },
          "quorum": {
            "type": "integer",
            "minimum": -9007199254740991,
            "maximum": 9007199254740991,
            "description": "Votes that decide among \`count\` validators."
          }
        },
        "required": [
          "validators",
          "count",
          "quorum"
        ],
        "additionalProperties": false
      },
      "Verdict": {
        "type": "object",
        "properties": {
          "action": {
            "type": "string",
            "enum": [
              "approve",
              "reject"
            ]
          },
          "reason": {
            "default": null,
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "required": [
          "action"
        ],
        "additionalProperties": false
      }
    },
    "responses": {
      "already_exists": {
        "description": "\`already_exists\`: This exists already.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "already_exists": {
                "value": {
                  "error": "already_exists",
                  "message": "This exists already.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "bad_request_or_invalid_field": {
        "description": "\`bad_request\`: The request cannot be read. \`invalid_field\`: A field, parameter or header is wrong.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "bad_request": {
                "value": {
                  "error": "bad_request",
                  "message": "The request cannot be read.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "invalid_field": {
                "value": {
                  "error": "invalid_field",
                  "message": "A field, parameter or header is wrong.",
                  "details": {
                    "problems": [
                      {
                        "path": "address",
                        "code": "missing",
                        "message": "is required (string)"
                      }
                    ]
                  },
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "bad_signature": {
        "description": "\`bad_signature\`: A signature does not verify.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "bad_signature": {
                "value": {
                  "error": "bad_signature",
                  "message": "A signature does not verify.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "bad_signature_or_insufficient_collateral": {
        "description": "\`bad_signature\`: A signature does not verify. \`insufficient_collateral\`: The collateral is too low.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "bad_signature": {
                "value": {
                  "error": "bad_signature",
                  "message": "A signature does not verify.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "insufficient_collateral": {
                "value": {
                  "error": "insufficient_collateral",
                  "message": "The collateral is too low.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "bad_signature_or_invalid_binding": {
        "description": "\`bad_signature\`: A signature does not verify. \`invalid_binding\`: The device record breaks a rule.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "bad_signature": {
                "value": {
                  "error": "bad_signature",
                  "message": "A signature does not verify.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "invalid_binding": {
                "value": {
                  "error": "invalid_binding",
                  "message": "The device record breaks a rule.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "bad_signature_or_invalid_manifest": {
        "description": "\`bad_signature\`: A signature does not verify. \`invalid_manifest\`: The manifest breaks a rule.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "bad_signature": {
                "value": {
                  "error": "bad_signature",
                  "message": "A signature does not verify.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "invalid_manifest": {
                "value": {
                  "error": "invalid_manifest",
                  "message": "The manifest breaks a rule.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "conflict": {
        "description": "\`conflict\`: Another request or state is in the way.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "conflict": {
                "value": {
                  "error": "conflict",
                  "message": "Another request or state is in the way.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "conflict_or_already_exists": {
        "description": "\`conflict\`: Another request or state is in the way. \`already_exists\`: This exists already.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "conflict": {
                "value": {
                  "error": "conflict",
                  "message": "Another request or state is in the way.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "already_exists": {
                "value": {
                  "error": "already_exists",
                  "message": "This exists already.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "conflict_or_invalid_state": {
        "description": "\`conflict\`: Another request or state is in the way. \`invalid_state\`: The present state does not allow this.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "conflict": {
                "value": {
                  "error": "conflict",
                  "message": "Another request or state is in the way.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "invalid_state": {
                "value": {
                  "error": "invalid_state",
                  "message": "The present state does not allow this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "forbidden": {
        "description": "\`forbidden\`: This caller may not do this.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "forbidden": {
                "value": {
                  "error": "forbidden",
                  "message": "This caller may not do this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "forbidden_or_not_enrolled": {
        "description": "\`forbidden\`: This caller may not do this. \`not_enrolled\`: The caller has no active enrollment.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "forbidden": {
                "value": {
                  "error": "forbidden",
                  "message": "This caller may not do this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "not_enrolled": {
                "value": {
                  "error": "not_enrolled",
                  "message": "The caller has no active enrollment.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "forbidden_or_not_owner": {
        "description": "\`forbidden\`: This caller may not do this. \`not_owner\`: The caller does not own this.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "forbidden": {
                "value": {
                  "error": "forbidden",
                  "message": "This caller may not do this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "not_owner": {
                "value": {
                  "error": "not_owner",
                  "message": "The caller does not own this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "forbidden_or_not_owner_or_not_enrolled_or_not_verified_or_scope_missing": {
        "description": "\`forbidden\`: This caller may not do this. \`not_owner\`: The caller does not own this. \`not_enrolled\`: The caller has no active enrollment. \`not_verified\`: The developer is not verified. \`scope_missing\`: The API key lacks a scope.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "forbidden": {
                "value": {
                  "error": "forbidden",
                  "message": "This caller may not do this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "not_owner": {
                "value": {
                  "error": "not_owner",
                  "message": "The caller does not own this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "not_enrolled": {
                "value": {
                  "error": "not_enrolled",
                  "message": "The caller has no active enrollment.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "not_verified": {
                "value": {
                  "error": "not_verified",
                  "message": "The developer is not verified.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "scope_missing": {
                "value": {
                  "error": "scope_missing",
                  "message": "The API key lacks a scope.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "forbidden_or_scope_missing": {
        "description": "\`forbidden\`: This caller may not do this. \`scope_missing\`: The API key lacks a scope.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "forbidden": {
                "value": {
                  "error": "forbidden",
                  "message": "This caller may not do this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "scope_missing": {
                "value": {
                  "error": "scope_missing",
                  "message": "The API key lacks a scope.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "incompatible_or_insufficient_collateral": {
        "description": "\`incompatible\`: The device does not meet the requirements. \`insufficient_collateral\`: The collateral is too low.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "incompatible": {
                "value": {
                  "error": "incompatible",
                  "message": "The device does not meet the requirements.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "insufficient_collateral": {
                "value": {
                  "error": "insufficient_collateral",
                  "message": "The collateral is too low.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "internal": {
        "description": "\`internal\`: A fault of the hub itself.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "internal": {
                "value": {
                  "error": "internal",
                  "message": "A fault of the hub itself.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "invalid_field": {
        "description": "\`invalid_field\`: A field, parameter or header is wrong.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "invalid_field": {
                "value": {
                  "error": "invalid_field",
                  "message": "A field, parameter or header is wrong.",
                  "details": {
                    "problems": [
                      {
                        "path": "address",
                        "code": "missing",
                        "message": "is required (string)"
                      }
                    ]
                  },
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "invalid_manifest": {
        "description": "\`invalid_manifest\`: The manifest breaks a rule.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "invalid_manifest": {
                "value": {
                  "error": "invalid_manifest",
                  "message": "The manifest breaks a rule.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "invalid_state": {
        "description": "\`invalid_state\`: The present state does not allow this.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "invalid_state": {
                "value": {
                  "error": "invalid_state",
                  "message": "The present state does not allow this.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "not_found": {
        "description": "\`not_found\`: Nothing is there.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "not_found": {
                "value": {
                  "error": "not_found",
                  "message": "Nothing is there.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "not_modified": {
        "description": "You hold this representation already.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        }
      },
      "rate_limited": {
        "description": "\`rate_limited\`: Too many requests.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          },
          "Retry-After": {
            "description": "Seconds to wait before another try.",
            "schema": {
              "type": "integer"
            }
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "rate_limited": {
                "value": {
                  "error": "rate_limited",
                  "message": "Too many requests.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "too_large": {
        "description": "\`too_large\`: The body or a part of it is too large.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "too_large": {
                "value": {
                  "error": "too_large",
                  "message": "The body or a part of it is too large.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "unauthorized_or_session_expired_or_bad_signature": {
        "description": "\`unauthorized\`: The credential is missing, unknown or revoked. \`session_expired\`: The session has expired. \`bad_signature\`: A signature does not verify.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "unauthorized": {
                "value": {
                  "error": "unauthorized",
                  "message": "The credential is missing, unknown or revoked.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "session_expired": {
                "value": {
                  "error": "session_expired",
                  "message": "The session has expired.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "bad_signature": {
                "value": {
                  "error": "bad_signature",
                  "message": "A signature does not verify.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "unavailable": {
        "description": "\`unavailable\`: A part of the network is not reachable for the moment.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          },
          "Retry-After": {
            "description": "Seconds to wait before another try.",
            "schema": {
              "type": "integer"
            }
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "unavailable": {
                "value": {
                  "error": "unavailable",
                  "message": "A part of the network is not reachable for the moment.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      },
      "unavailable_or_no_validators_or_faucet_empty": {
        "description": "\`unavailable\`: A part of the network is not reachable for the moment. \`no_validators\`: No validator is registered. \`faucet_empty\`: The faucet is empty.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "RateLimit-Limit": {
            "$ref": "#/components/headers/RateLimit-Limit"
          },
          "RateLimit-Remaining": {
            "$ref": "#/components/headers/RateLimit-Remaining"
          },
          "RateLimit-Reset": {
            "$ref": "#/components/headers/RateLimit-Reset"
          },
          "Retry-After": {
            "description": "Seconds to wait before another try.",
            "schema": {
              "type": "integer"
            }
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "examples": {
              "unavailable": {
                "value": {
                  "error": "unavailable",
                  "message": "A part of the network is not reachable for the moment.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "no_validators": {
                "value": {
                  "error": "no_validators",
                  "message": "No validator is registered.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              },
              "faucet_empty": {
                "value": {
                  "error": "faucet_empty",
                  "message": "The faucet is empty.",
                  "request_id": "6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11"
                }
              }
            }
          }
        }
      }
    },
    "headers": {
      "RateLimit-Limit": {
        "description": "Requests of one window.",
        "schema": {
          "type": "integer"
        }
      },
      "RateLimit-Remaining": {
        "description": "Requests left in this window.",
        "schema": {
          "type": "integer"
        }
      },
      "RateLimit-Reset": {
        "description": "Seconds until the window ends.",
        "schema": {
          "type": "integer"
        }
      },
      "X-Request-Id": {
        "description": "Names this answer; quote it when you report a fault.",
        "schema": {
          "type": "string"
        }
      }
    },
    "securitySchemes": {
      "session": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "{{session_token_prefix}}<43 characters>",
        "description": "Token of a session, from \`POST /v1/auth/siwe\`."
      },
      "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "{{api_key_prefix}}<8>_<43 characters>",
        "description": "Developer API key; each call names the scope it needs."
      },
      "nodeSignature": {
        "type": "apiKey",
        "in": "header",
        "name": "{{header_prefix}}Signature",
        "description": "Ed25519 signature of the request by a node's key, together with the headers {{header_prefix}}Node, -Public-Key, -Timestamp and -Nonce."
      }
    }
  }
}`
