// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A wallet without a key of its own: it vouches for what its owner signed, and does what its owner says
contract ContractWallet is IERC1271 {
    address private immutable _owner;

    constructor(address owner) {
        _owner = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return signer == _owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function execute(address to, bytes calldata data) external {
        require(msg.sender == _owner);
        (bool success, ) = to.call(data);
        require(success);
    }
}
